import type { StreamName } from '#domain';
import type { AppendResult } from '../event-log.js';
import type { NewEvent } from '../envelope.js';
import type { AppendRequest } from './append-request.js';
import { encodeMeta, type Field } from '../codec.js';

/** An append in flight. */
export interface PendingAppend {
  readonly stream: StreamName;
  readonly events: readonly NewEvent[];
  readonly expected: number;
  resolve(result: AppendResult): void;
  reject(error: Error): void;
}

/** Encodes the message of a batch of appends. */
export function encodeAppends(appends: readonly PendingAppend[], keys: readonly string[]): AppendRequest {
  const fields: Field[] = [];
  let bytes = 0;
  for (const { stream, expected, events } of appends) {
    fields.push(stream, expected, events.length);
    let before: unknown;
    for (const event of events) {
      fields.push(
        event.id,
        event.type,
        event.time,
        event.raw?.data ?? event.json,
        event.meta === before ? '' : encodeMeta(event.meta),
        event.raw === undefined ? '' : `${event.raw.commitment} ${event.raw.prev}`,
      );
      bytes += event.json.length;
      before = event.meta;
    }
  }
  return { kind: 'append', keys, fields, count: appends.length, bytes };
}

/** The keys that the appends are encrypted with. */
export function* keysOf(appends: readonly PendingAppend[]): Iterable<string | undefined> {
  let before: unknown;
  for (const { events } of appends)
    for (const { meta } of events) {
      if (meta !== before) yield meta.keyId;
      before = meta;
    }
}
