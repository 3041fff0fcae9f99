import type { Field } from '../codec.js';

/** What goes to the log's thread. Appends of one turn of the event loop travel together. */
export type Request =
  | AppendRequest
  | ReadStreamRequest
  | ReadAllRequest
  /** Keys that the requests after it need: id and bytes by turns, a character each, '' for one that is destroyed. */
  | { readonly kind: 'keys'; readonly keys: readonly string[] }
  | { readonly kind: 'forget'; readonly ids: readonly string[] }
  | { readonly kind: 'close' };

export interface AppendRequest {
  readonly kind: 'append';
  /** That it needs and the thread has not, as in `keys`. */
  readonly keys: readonly string[];
  readonly fields: readonly Field[];
  readonly count: number;
  /** Of the events' text, about. */
  readonly bytes: number;
}

export interface ReadStreamRequest {
  readonly kind: 'stream';
  readonly read: number;
  readonly stream: string;
  readonly after: number | null;
  readonly backwards: boolean;
  readonly limit: number;
}

export interface ReadAllRequest {
  readonly kind: 'all';
  readonly read: number;
  readonly after: number;
  readonly limit: number;
  readonly prefixes: readonly string[];
  /** The data as they are stored, with their proofs. */
  readonly isRaw: boolean;
}

/** What comes back. */
export type Reply =
  | { readonly kind: 'opened'; readonly logId: string; readonly head: number }
  | { readonly kind: 'refused'; readonly detail: string }
  /** Of the oldest appends without an answer, two numbers each: first revision and last position, or -1 and the actual. */
  | { readonly kind: 'appended'; readonly outcomes: readonly number[] }
  | {
      readonly kind: 'page';
      readonly read: number;
      readonly rows: readonly Field[];
      readonly position: number;
      /** Commitment and `prev` of each row, where they were asked for. */
      readonly proofs?: readonly string[];
      /** Keys that the thread was not given: what they sealed is still sealed. */
      readonly unknown?: readonly string[];
    }
  | { readonly kind: 'unreadable'; readonly read: number; readonly detail: string }
  /** The thread ends after this. Every append without an answer may be stored or not. */
  | { readonly kind: 'failed'; readonly detail: string; readonly full: boolean }
  | { readonly kind: 'closed' };

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

export interface ThreadOptions {
  readonly folder: string;
  readonly walBytes: number;
  readonly faults: ThreadFaults;
}

/** For tests of what must be survived, and of tests that must be able to fail. */
export interface ThreadFaults {
  /** NORMAL loses acknowledged events when the power fails. */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** The file may not grow beyond so many pages: a full disk. */
  readonly maxPageCount?: number;
  /** Each thread dies after its n-th commit, before it says so. */
  readonly dieAfterCommits?: number;
}
