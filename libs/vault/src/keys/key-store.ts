import type { Position } from '#domain';
/** A key as a store holds it. */
export interface StoredKey {
  readonly id: string;
  /** The master key that wraps it. */
  readonly master: string;
  /** null: destroyed. */
  readonly wrapped: Buffer | null;
}

/** What a store says of itself. */
export interface StoreState {
  /** Names the store for good, so that a log knows its own. */
  readonly storeId: string;
  /** Id of the master key that new keys are wrapped with. */
  readonly master: string;
  /** The key of everything that is sealed or derived for the whole installation, wrapped with that master key. */
  readonly root: Buffer;
  /** Rises with every batch of keys. */
  readonly generation: number;
  /** While a master key is being replaced: the new one, wrapped with the old one. */
  readonly successor: { readonly of: string; readonly wrapped: Buffer } | null;
}

/** Each kind has a place of its own: `resealed` is how far the content of earlier versions was sealed anew. */
export type ErasureKind = 'sessions' | 'datastores' | 'resealed';

/** How far the erasures of a log were carried out. */
export interface ErasureCheckpoint {
  readonly logId: string;
  readonly position: Position;
}

/**
 * Where keys are kept, wrapped. Everything is durable when it resolves.
 * @throws LogUnavailable where the store does not answer
 */
export abstract class KeyStore {
  /** Waits until the store answers, and makes its tables where they are missing. Before that nothing is asked of it. */
  abstract prepare(onWaiting?: (detail: string) => void): Promise<void>;
  /** null: nothing was kept here yet. */
  abstract state(): Promise<StoreState | null>;
  /** Makes the store's state, unless somebody was faster. */
  abstract begin(state: StoreState): Promise<void>;
  /** The keys that are there, destroyed ones too. */
  abstract read(ids: readonly string[]): Promise<readonly StoredKey[]>;
  /** Returns the generation that the batch begins; null: their master key is not the store's any more, nothing was kept. */
  abstract add(keys: readonly StoredKey[]): Promise<number | null>;
  /** No byte of the key is left in the store's files; that it was there is. */
  abstract destroy(id: string, at: number): Promise<void>;
  /**
   * Says for good that a key is destroyed with another one. False: that one is destroyed, or was never there; nothing is said
   * then. A key that is below another already stays there.
   */
  abstract placeBelow(id: string, parent: string): Promise<boolean>;
  /** Destroys a key with all that are below it, all of them or none. Returns their ids, those that were destroyed before, too. */
  abstract destroyTree(id: string, at: number): Promise<readonly string[]>;
  /** Removes keys that nothing was sealed with. */
  abstract remove(ids: readonly string[]): Promise<void>;
  /** Of the erasures of one kind. */
  abstract checkpoint(of?: ErasureKind): Promise<ErasureCheckpoint | null>;
  abstract saveCheckpoint(checkpoint: ErasureCheckpoint, of?: ErasureKind): Promise<void>;
  /** Sets master, root and successor; the rest of the state stays. */
  abstract replaceMaster(state: Pick<StoreState, 'master' | 'root' | 'successor'>): Promise<void>;
  /** Keys that another master key wraps than this one. */
  abstract notUnder(master: string, limit: number): Promise<readonly StoredKey[]>;
  /** Wraps keys anew; those that were destroyed meanwhile stay destroyed. */
  abstract rewrap(keys: readonly StoredKey[]): Promise<void>;
  abstract close(): Promise<void>;
}
