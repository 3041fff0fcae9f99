import type { Field } from '../codec.js';
import type { Expected } from '../event-log.js';

/** What an adapter asks of its thread to be stored. Appends of one turn of the event loop travel together. */
export interface AppendRequest {
  readonly kind: 'append';
  /** That it needs and the thread has not, as in `KeysRequest`. */
  readonly keys: readonly string[];
  readonly fields: readonly Field[];
  readonly count: number;
  /** Of the events' text, about. */
  readonly bytes: number;
}

export type KeysRequest =
  /** Keys that the requests after it need: id and bytes by turns, a character each, '' for one that is destroyed. */
  | { readonly kind: 'keys'; readonly keys: readonly string[] }
  | { readonly kind: 'forget'; readonly ids: readonly string[] };

/**
 * An append travels as: stream, expected, count, then for each event id, type, time, json, meta ('': as before), proof. A
 * proof is '', or, of an event that is stored as it is, commitment and prev with a space between them; then json is its data.
 */
export const APPEND_FIELDS = 3;
export const EVENT_FIELDS = 6;

/** Expected revisions from 0 stand for themselves. */
export const NO_STREAM = -1;
export const STREAM_EXISTS = -2;
export const ANY = -3;

export function codeOf(expected: Expected): number {
  switch (expected) {
    case 'no_stream':
      return NO_STREAM;
    case 'stream_exists':
      return STREAM_EXISTS;
    case 'any':
      return ANY;
    default:
      return expected;
  }
}
