import { createHash } from 'node:crypto';
import type { EventLog } from '../event-log.js';
import { encodeMeta } from '../codec.js';
import type { EventMeta, RecordedEvent } from '../envelope.js';

/**
 * Names of streams whose events are not the same in both logs: in number, order, id, type, time, data, meta or
 * proof. Reads both
 * as a whole, and keeps 32 bytes for each stream.
 */
export async function compareLogs(one: EventLog, other: EventLog): Promise<string[]> {
  const sums = await sumsOf(one);
  const otherSums = await sumsOf(other);
  const differing: string[] = [];
  for (const [stream, sum] of sums) {
    if (otherSums.get(stream) !== sum) differing.push(stream);
    otherSums.delete(stream);
  }
  return [...differing, ...otherSums.keys()];
}

async function sumsOf(log: EventLog): Promise<Map<string, string>> {
  const sums = new Map<string, string>();
  for await (const batch of log.readAll({ isRaw: true }))
    for (const event of batch.events) sums.set(event.stream, sumOf(sums.get(event.stream) ?? '', event));
  return sums;
}

function sumOf(before: string, { id, type, time, json, raw, meta, revision }: RecordedEvent): string {
  const data =
    raw === undefined ? json : [Buffer.from(raw.data).toString('base64'), raw.commitment, raw.prev];
  const text = JSON.stringify([before, revision, id, type, time, data, ordered(meta)]);
  return createHash('sha256').update(text).digest('base64');
}

// The order of its names is no part of it.
const ordered = (meta: EventMeta): string =>
  JSON.stringify(
    Object.entries(JSON.parse(encodeMeta(meta)) as object).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
