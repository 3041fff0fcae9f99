import type { Head } from '#proof';
import type { Published, Stop, TreeState } from '../seal.js';

/** The heads that share the first 16 bits of their tags. */
export interface Bucket {
  readonly bucket: number;
  /** How many they are. */
  readonly count: number;
  readonly node: Uint8Array;
}

/** Which tile of the tree (https://c2sp.org/tlog-tiles): level 0 and up, ENTRIES the bundles of entries. */
export interface TilePlace {
  readonly level: number;
  readonly index: number;
}

export const ENTRIES = -1;

/** Bytes that come behind those that a tile has. */
export interface TileGrowth extends TilePlace {
  readonly bytes: Uint8Array;
}

/** What is known of a stream at the newest seal. */
export interface StreamPlace {
  readonly tree: TreeState;
  readonly published: Published | null;
  /** null: the seal has no event of the stream. */
  readonly head: Head | null;
  /** All heads of its bucket. */
  readonly heads: readonly Head[];
  /** What changed after the seal that was named; all of them, where that was of another tree. */
  readonly buckets: readonly Bucket[];
}

/** What is told besides the tree. */
export interface ProofStatusRow {
  readonly published: Published | null;
  readonly stop: Stop | null;
}

/** The tables inside a transaction. */
export interface TreeTables {
  /** Forgets the whole tree. */
  clear(): Promise<void>;
  /** Of those that have one. */
  heads(tags: readonly Uint8Array[]): Promise<readonly Head[]>;
  headsIn(buckets: readonly number[]): Promise<readonly Head[]>;
  setHeads(heads: readonly Head[]): Promise<void>;
  /** @param seal in which they changed */
  setBuckets(buckets: readonly Bucket[], seal: number): Promise<void>;
  grow(tiles: readonly TileGrowth[]): Promise<void>;
  setTree(tree: TreeState): Promise<void>;
}

/**
 * Port: the tree as tables, which the log can fill again. What the world is told is beside it.
 * @throws ReadModelsUnavailable where the database is not there
 */
export abstract class ProofStore {
  /** Resolves when the database is there; rejects where nothing but the operator can help. */
  abstract readonly ready: Promise<void>;
  abstract tree(): Promise<TreeState | null>;
  /** All buckets that are not empty. */
  abstract buckets(): Promise<readonly Bucket[]>;
  /** One transaction, in which nobody else writes: kept when `work` returns, dropped when it throws. */
  abstract write(work: (tables: TreeTables, tree: TreeState | null) => Promise<void>): Promise<void>;
  abstract status(): Promise<ProofStatusRow>;
  abstract publish(published: Published | null): Promise<void>;
  abstract setStopped(stop: Stop | null): Promise<void>;
  /** What was asked of the replica that seals: counts the askings. */
  abstract demands(): Promise<number>;
  abstract demand(): Promise<void>;
  /** Makes the tree be filled from the log anew. */
  abstract wantRebuild(): Promise<void>;
  abstract isRebuildWanted(): Promise<boolean>;
  abstract tile(place: TilePlace): Promise<Uint8Array | null>;
  /** From one moment. null: nothing is sealed yet. @param known the buckets that the caller has */
  abstract placeOf(
    tag: Uint8Array,
    known: { readonly tree: string; readonly seal: number } | null,
  ): Promise<StreamPlace | null>;
}
