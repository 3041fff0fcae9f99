import { createHash } from 'node:crypto';
import type { EventLog } from '../event-log.js';
import { encodeMeta } from '../codec.js';
import type { EventMeta, RecordedEvent } from '../envelope.js';

export interface LogDifferences {
  /** Names of the streams that differ in number, order, id, type, time, data, meta or proof of their events. */
  readonly streams: readonly string[];
  /** The events of all streams come in the same order, which is what seals are made over. */
  readonly isSameOrder: boolean;
}

/** Reads both logs in full; memory: 32 bytes for each stream. */
export async function compareLogs(one: EventLog, other: EventLog): Promise<LogDifferences> {
  const sums = await sumsOf(one);
  const otherSums = await sumsOf(other);
  const differing: string[] = [];
  for (const [stream, sum] of sums.streams) {
    if (otherSums.streams.get(stream) !== sum) differing.push(stream);
    otherSums.streams.delete(stream);
  }
  return {
    streams: [...differing, ...otherSums.streams.keys()],
    isSameOrder: sums.order === otherSums.order,
  };
}

interface Sums {
  readonly streams: Map<string, string>;
  /** Over the ids of all events. */
  readonly order: string;
}

async function sumsOf(log: EventLog): Promise<Sums> {
  const streams = new Map<string, string>();
  const order = createHash('sha256');
  for await (const batch of log.readAll({ isRaw: true }))
    for (const event of batch.events) {
      streams.set(event.stream, sumOf(streams.get(event.stream) ?? '', event));
      order.update(event.id);
    }
  return { streams, order: order.digest('base64') };
}

function sumOf(before: string, { id, type, time, json, raw, meta, revision }: RecordedEvent): string {
  const data =
    raw === undefined ? json : [Buffer.from(raw.data).toString('base64'), raw.commitment, raw.prev];
  const text = JSON.stringify([before, revision, id, type, time, data, ordered(meta)]);
  return createHash('sha256').update(text).digest('base64');
}

// Key order does not matter.
const ordered = (meta: EventMeta): string =>
  JSON.stringify(
    Object.entries(JSON.parse(encodeMeta(meta)) as object).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
