import type { Field } from '../codec.js';
import type { Expected } from '../event-log.js';

/** Message of appends to an adapter's thread. Appends of one turn of the event loop are batched. */
export interface AppendRequest {
  readonly kind: 'append';
  /** Keys that it needs and the thread lacks, as in `KeysRequest`. */
  readonly keys: readonly string[];
  readonly fields: readonly Field[];
  readonly count: number;
  /** Approximate size of the events' text. */
  readonly bytes: number;
}

export type KeysRequest =
  /**
   * Keys for the requests that follow: id and bytes alternating, bytes as one character each; '' for a
   * destroyed key.
   */
  | { readonly kind: 'keys'; readonly keys: readonly string[] }
  | { readonly kind: 'forget'; readonly ids: readonly string[] };

/**
 * Flat encoding of an append: stream, expected, count, then for each event id, type, time, json, meta ('': as
 * before), proof. Proof is '', or for a raw event commitment and prev separated by a space; then json is the
 * stored data.
 */
export const APPEND_FIELDS = 3;
export const EVENT_FIELDS = 6;

/** Codes of expected states below 0; revisions from 0 stand for themselves. */
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
