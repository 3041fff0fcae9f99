import { notLeader, streamNotFound } from './answers.js';
import type { Fault } from './faults.js';
import type { ServerCall } from './grpc-server.js';
import type { EsdbStore } from './store.js';
import type { Stored } from './stored.js';
import { type ReadReq, streams } from './stubs.js';

/** What a read does not show, or how much of it comes before it breaks off. */
export interface Shortcoming {
  readonly without?: number;
  readonly cutAfter?: number;
}

/** A read with a count, of a stream or of all. */
export async function handleRead(
  store: EsdbStore,
  call: ServerCall,
  options: ReadReq.Options,
  { without = 0, cutAfter = Infinity }: Shortcoming = {},
): Promise<void> {
  const records = options.hasStream() ? streamRecords(store, options) : allRecords(store, options);
  const newest = without > 0 ? (store.all.at(-without)?.position ?? 0) : 0;
  if (records === null) {
    const name = options.getStream()?.getStreamIdentifier()?.getStreamName_asU8();
    call.write(streamNotFound(name ?? new Uint8Array()));
    return call.end();
  }
  let left = Number(options.getCount());
  let given = 0;
  for (const record of records) {
    if (without > 0 && record.position >= newest) continue;
    if (given++ === cutAfter) return call.end(BROKEN);
    if (left-- <= 0 || call.isOver) break;
    if (!call.part(record)) await drained(call);
  }
  call.end();
}

const BROKEN = { code: 14, details: 'the connection broke' };

export const drained = (call: ServerCall): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      for (const event of ['drain', 'over']) call.off(event, go);
      resolve();
    };
    for (const event of ['drain', 'over']) call.on(event, go);
  });

export function misread(call: ServerCall, fault: Fault, work: (shortcoming?: Shortcoming) => void): void {
  switch (fault.kind) {
    case 'busy':
      return call.end({ code: 14, details: 'Server Is Busy' });
    case 'stale':
      return work({ without: fault.without });
    case 'cut':
      return work({ cutAfter: fault.after });
    case 'silence':
      return;
    case 'end':
      return call.end();
    case 'slow':
      return void setTimeout(() => work(), fault.ms);
    case 'not-leader':
      return call.end(notLeader(fault.leader));
    case 'error':
      return call.end({ code: fault.code, details: fault.details ?? 'fault' });
    case 'denied':
      return call.end({ code: 7, details: 'Access Denied', headers: { exception: 'access-denied' } });
    default:
      throw new Error(`a read has no fault ${fault.kind}`);
  }
}

function streamRecords(store: EsdbStore, options: ReadReq.Options): Iterable<Stored> | null {
  const place = options.getStream()!;
  const name = Buffer.from(place.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
  const events = store.of(name);
  if (events === undefined) return null;
  const revision = Number(place.getRevision());
  if (isBackwards(options)) {
    const from = place.hasRevision() ? Math.min(revision, events.length - 1) : events.length - 1;
    return down(events, from);
  }
  return up(events, place.hasRevision() ? revision : 0);
}

function allRecords(store: EsdbStore, options: ReadReq.Options): Iterable<Stored> {
  const place = options.getAll()!;
  const matches = filterOf(options);
  const position = Number(place.getPosition()?.getCommitPosition());
  const { shelf } = store;
  const from = place.hasPosition() ? store.indexAt(position) : place.hasEnd() ? shelf.length : 0;
  const last = shelf.length - 1;
  return filter(isBackwards(options) ? down(shelf, Math.min(from, last)) : up(shelf, from), matches);
}

const isBackwards = (options: ReadReq.Options): boolean =>
  options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;

/** Whether a record is of one of the streams that were asked for. */
export function filterOf(options: ReadReq.Options): (record: Stored) => boolean {
  const prefixes = options.getFilter()?.getStreamIdentifier()?.getPrefixList() ?? [];
  if (prefixes.length === 0) return () => true;
  return ({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix));
}

/** What both a stream and the shelf are. */
interface Records {
  readonly length: number;
  at(index: number): Stored | undefined;
}

function* up(records: Records, from: number): Iterable<Stored> {
  // What is added meanwhile is not read.
  const end = records.length;
  for (let i = from; i < end; i++) yield records.at(i)!;
}

function* down(records: Records, from: number): Iterable<Stored> {
  for (let i = from; i >= 0; i--) yield records.at(i)!;
}

function* filter(records: Iterable<Stored>, matches: (record: Stored) => boolean): Iterable<Stored> {
  for (const record of records) if (matches(record)) yield record;
}
