import type { StreamName } from '#domain';
import type { AppendRequest, KeysRequest } from '../thread/append-request.js';
import type { Page, RawWish } from '../thread/page-rows.js';

/** Messages to the log's thread. */
export type Request =
  AppendRequest | ReadStreamRequest | ReadAllRequest | KeysRequest | { readonly kind: 'close' };

export interface ReadStreamRequest {
  readonly kind: 'stream';
  readonly read: number;
  readonly stream: StreamName;
  readonly after: number | null;
  readonly backwards: boolean;
  readonly limit: number;
  /** As of ReadAllRequest. */
  readonly isRaw: boolean;
}

export interface ReadAllRequest {
  readonly kind: 'all';
  readonly read: number;
  readonly after: number;
  readonly limit: number;
  readonly prefixes: readonly string[];
  /** Return the data as stored, with their proofs; or hashes alone. */
  readonly isRaw: RawWish;
}

/** Outcome of an append to a stream whose last event cannot be read. */
export const DAMAGED = -2;

/** Messages from it. */
export type Reply =
  | { readonly kind: 'opened'; readonly logId: string; readonly head: number }
  | { readonly kind: 'refused'; readonly detail: string }
  /**
   * Answers the oldest pending appends, two numbers each: first revision and last position; or -1 and the
   * actual revision; or DAMAGED and 0.
   */
  | { readonly kind: 'appended'; readonly outcomes: readonly number[] }
  | (Page & { readonly kind: 'page'; readonly read: number })
  | { readonly kind: 'unreadable'; readonly read: number; readonly detail: string }
  /** The thread ends after this; every pending append has an unknown outcome. */
  | { readonly kind: 'failed'; readonly detail: string; readonly full: boolean }
  | { readonly kind: 'closed' };

export interface ThreadOptions {
  readonly folder: string;
  readonly walBytes: number;
  readonly faults: ThreadFaults;
}

/** Fault injection, for tests of recovery and for tests that must be able to fail. */
export interface ThreadFaults {
  /** NORMAL loses acknowledged events at a power failure. */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** Size limit of the file in pages: simulates a full disk. */
  readonly maxPageCount?: number;
  /** Each thread dies after its n-th commit, before it acknowledges. */
  readonly dieAfterCommits?: number;
}
