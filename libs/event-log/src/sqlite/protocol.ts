import type { StreamName } from '#domain';
import type { AppendRequest, KeysRequest } from '../thread/append-request.js';
import type { Page } from '../thread/page-rows.js';

/** What goes to the log's thread. */
export type Request =
  AppendRequest | ReadStreamRequest | ReadAllRequest | KeysRequest | { readonly kind: 'close' };

export interface ReadStreamRequest {
  readonly kind: 'stream';
  readonly read: number;
  readonly stream: StreamName;
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
  | (Page & { readonly kind: 'page'; readonly read: number })
  | { readonly kind: 'unreadable'; readonly read: number; readonly detail: string }
  /** The thread ends after this. Every append without an answer may be stored or not. */
  | { readonly kind: 'failed'; readonly detail: string; readonly full: boolean }
  | { readonly kind: 'closed' };

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
