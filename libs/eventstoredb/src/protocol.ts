import type { StreamName } from '#domain';
import type { Field, Position, Revision, AppendRequest, KeysRequest, Page, RawWish } from '#event-log';

/** What the adapter's thread is started with. */
export interface ThreadOptions {
  readonly connectionString: string;
  readonly prefix: string;
  readonly appendTimeoutMs: number;
  readonly readTimeoutMs: number;
  /** One number: the heard events that were taken from the thread since its start, modulo 2^32. */
  readonly taken: Int32Array;
}

/** What goes to the thread. */
export type Request =
  | AppendRequest
  | KeysRequest
  | ReadRequest
  /** Of waiting for the server. */
  | { readonly kind: 'give up' }
  | { readonly kind: 'close' };

export type ReadRequest = { readonly read: number } & Question;

export type Question =
  | {
      readonly kind: 'stream';
      readonly stream: StreamName;
      readonly after: Revision | null;
      readonly backwards: boolean;
      readonly limit: number;
      readonly isRaw: boolean;
    }
  | {
      readonly kind: 'all';
      readonly after: Position;
      readonly prefixes: readonly string[];
      readonly limit: number;
      readonly isRaw: RawWish;
    }
  /** Where the log ends. */
  | { readonly kind: 'head' };

/** What comes back. */
export type Reply =
  | { readonly kind: 'opened'; readonly logId: string; readonly head: Position; readonly server: string }
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The server is not there yet. */
  | { readonly kind: 'waiting'; readonly detail: string }
  | LogLineReply
  | AnsweredReply
  | HeardReply
  | PageReply
  | { readonly kind: 'head'; readonly read: number; readonly position: Position }
  | { readonly kind: 'unreadable'; readonly read: number; readonly failure: Failure }
  | HealthReply
  | { readonly kind: 'closed' };

/** An error that crosses threads, by its name. */
export interface Failure {
  readonly name: string;
  readonly message: string;
}

export interface LogLineReply {
  readonly kind: 'said';
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

/** Outcomes of appends, in whatever order the server gave them. `forgotten`: as in HeardReply. */
export interface AnsweredReply {
  readonly kind: 'answered';
  /** Three numbers each: which append since the start, first revision and last position, or -1 and the actual revision. */
  readonly outcomes: readonly number[];
  readonly failures: readonly (Failure & { readonly append: number })[];
  readonly forgotten: readonly number[];
}

/** The next events of the whole log. */
export interface HeardReply {
  readonly kind: 'heard';
  /** Three numbers each, in order: which of the events that were sent since the start, its revision and its position. */
  readonly own: readonly number[];
  /** Of events that are not known as this process's own, in order. */
  readonly rows: readonly Field[];
  readonly unknown?: readonly string[];
  /** Which of the events that were sent will never be among `own`. */
  readonly forgotten: readonly number[];
}

export interface PageReply extends Page {
  readonly kind: 'page';
  readonly read: number;
  /** Whether the server had no more. */
  readonly isEnd: boolean;
}

export interface HealthReply {
  readonly kind: 'health';
  /** What keeps appends from being made, if anything does. */
  readonly problem: string | undefined;
  /** Since when nothing can be heard, and why; null while it can. */
  readonly silence: { readonly since: number; readonly detail: string } | null;
  /** How often the server has ended the live subscription. */
  readonly drops: number;
}
