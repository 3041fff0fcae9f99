import type { Head, TreeHead } from '#proof';

/** What a witness remembers of a log. */
export interface Held extends TreeHead {
  /** The note as it was cosigned last; null: never. */
  readonly note: string | null;
  /** The right edge of the tree, as a monitor needs it to go on; empty without one. */
  readonly edge: readonly Uint8Array[];
}

/** A checkpoint that has been looked at, and is to be remembered. */
export interface Kept extends TreeHead {
  readonly note: string;
  readonly edge: readonly Uint8Array[];
}

/** Where the streams of a log end, as its leaves say up to the checkpoint that was cosigned last, and up to where they are read. */
export interface Heads {
  get(tag: Uint8Array): Head | null;
  /** What is set counts for reads, and is forgotten with `drop` and with the process: only `keep` makes it last. */
  set(head: Head): void;
  drop(): void;
  /** Those of the directory in which there are heads that are kept. */
  buckets(): Iterable<number>;
  inBucket(bucket: number): readonly Head[];
}

/** The memory of a witness. */
export interface WitnessStore {
  held(origin: string): Held;
  heads(origin: string): Heads;
  /**
   * Durable when it returns, together with the heads that were set.
   * @param oldSize of what is held
   * @returns false: something else is held meanwhile, and nothing has changed
   */
  keep(origin: string, oldSize: number, kept: Kept): boolean;
}
