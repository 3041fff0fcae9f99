import { callError, eventAnswer, notLeader, streamNotFound } from './answers.js';
import type { Fault } from './faults.js';
import type { EsdbStore, Stored } from './store.js';
import { type ReadReq, type ServerWritableStream, streams } from './stubs.js';

/** Answers are bytes already: an event is encoded once. */
export type ReadCall = ServerWritableStream<ReadReq, Buffer>;

/** A read with a count, of a stream or of all. */
export async function handleRead(store: EsdbStore, call: ReadCall, options: ReadReq.Options): Promise<void> {
  const records = options.hasStream() ? streamRecords(store, options) : allRecords(store, options);
  if (records === null) {
    const name = options.getStream()?.getStreamIdentifier()?.getStreamName_asU8();
    call.write(streamNotFound(name ?? new Uint8Array()));
    return void call.end();
  }
  let left = Number(options.getCount());
  for (const record of records) {
    if (left-- <= 0 || call.cancelled) break;
    if (!call.write(eventAnswer(record))) await drained(call);
  }
  call.end();
}

export const drained = (call: ReadCall): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      for (const event of ['drain', 'cancelled', 'close', 'error']) call.off(event, go);
      resolve();
    };
    for (const event of ['drain', 'cancelled', 'close', 'error']) call.on(event, go);
  });

export function misread(call: ReadCall, fault: Fault, work: () => void): void {
  switch (fault.kind) {
    case 'silence':
      return;
    case 'end':
      return void call.end();
    case 'slow':
      return void setTimeout(work, fault.ms);
    case 'not-leader':
      return void call.emit('error', notLeader(fault.leader));
    case 'error':
      return void call.emit('error', callError(fault.code, fault.details ?? 'fault'));
    case 'denied':
      return void call.emit('error', callError(7, 'Access Denied', { exception: 'access-denied' }));
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
    return downwards(events, from);
  }
  return upwards(events, place.hasRevision() ? revision : 0);
}

function allRecords(store: EsdbStore, options: ReadReq.Options): Iterable<Stored> {
  const place = options.getAll()!;
  const matches = filterOf(options);
  const position = Number(place.getPosition()?.getCommitPosition());
  const { all } = store;
  const end = isBackwards(options);
  const from = place.hasPosition() ? store.indexAt(position) : place.hasEnd() ? all.length : 0;
  return filter(end ? downwards(all, Math.min(from, all.length - 1)) : upwards(all, from), matches);
}

const isBackwards = (options: ReadReq.Options): boolean =>
  options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;

/** Whether a record is of one of the streams that were asked for. */
export function filterOf(options: ReadReq.Options): (record: Stored) => boolean {
  const prefixes = options.getFilter()?.getStreamIdentifier()?.getPrefixList() ?? [];
  if (prefixes.length === 0) return () => true;
  return ({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix));
}

function* upwards(records: readonly Stored[], from: number): Iterable<Stored> {
  // What is added meanwhile is not read.
  const end = records.length;
  for (let i = from; i < end; i++) yield records[i]!;
}

function* downwards(records: readonly Stored[], from: number): Iterable<Stored> {
  for (let i = from; i >= 0; i--) yield records[i]!;
}

function* filter(records: Iterable<Stored>, matches: (record: Stored) => boolean): Iterable<Stored> {
  for (const record of records) if (matches(record)) yield record;
}
