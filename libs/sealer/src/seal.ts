import type { Position, Revision, StreamName } from '#domain';

/** An event, by its place and what it is. */
export interface LastEvent {
  readonly stream: StreamName;
  readonly revision: Revision;
  /** Hex. */
  readonly hash: string;
}

/** What was signed of a log: its first events, and where all of their streams end. */
export interface Seal {
  readonly logId: string;
  /** Counts the seals of an origin, from 1. */
  readonly seal: number;
  /** Leaves: the events, and one directory a seal. */
  readonly size: number;
  readonly events: number;
  /** The last of them. */
  readonly last: LastEvent;
  /** Root of the trie over all streams, in hex. */
  readonly directory: string;
  /** The checkpoint as we signed it, without cosignatures. */
  readonly note: string;
}

/** The tree at a seal, as it is kept: all that it takes to go on from there. */
export interface TreeState extends Seal {
  readonly origin: string;
  /** Made anew whenever the tree is begun from its first leaf: what was kept of another is not of this one. */
  readonly tree: string;
  /** Of its last event. */
  readonly position: Position;
  /** Roots of the full subtrees, the largest first. */
  readonly edge: readonly Uint8Array[];
  /** From the directory's leaf, which is the last one, up to the root. */
  readonly path: readonly Uint8Array[];
}

/** What the world is told of the newest seal. */
export interface Published {
  readonly seal: number;
  /** The checkpoint with every cosignature. */
  readonly note: string;
  /** When witnesses were last asked, ms since 1970. */
  readonly askedAt: number;
}

const FRESH_MS = 60_000;

/** Whether its cosignatures can be shown as they are; others are asked for anew, where witnesses answer. */
export const isFresh = ({ askedAt }: Published, now: number): boolean => now - askedAt < FRESH_MS;

/** Why nothing more is signed under an origin, until the operator names another one. */
export type StopReason = 'log_changed' | 'log_rolled_back' | 'log_rewritten' | 'log_forked';

export interface Stop {
  readonly origin: string;
  readonly reason: StopReason;
  /** A line for the operator. */
  readonly detail: string;
}
