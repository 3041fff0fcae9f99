import type { Position } from '#domain';
/** A wrapped (encrypted) key as stored. */
export interface StoredKey {
  readonly id: string;
  /** The master key that wraps it. */
  readonly master: string;
  /** null: destroyed. */
  readonly wrapped: Buffer | null;
}

/** State of a key store. */
export interface StoreState {
  /** Permanent id of the store, by which a log recognises its own. */
  readonly storeId: string;
  /** Id of the master key that new keys are wrapped with. */
  readonly master: string;
  /** Root key of the installation, wrapped with the master key: shared secrets are derived from it. */
  readonly root: Buffer;
  /** Incremented with each batch of keys. */
  readonly generation: number;
  /** During a rotation of the master key: the new one, wrapped with the old. */
  readonly successor: { readonly of: string; readonly wrapped: Buffer } | null;
}

/** Separate checkpoints: `resealed` is the progress of re-encrypting content of earlier versions. */
export type ErasureKind = 'sessions' | 'datastores' | 'resealed';

/** How far the erasures of a log were carried out. */
export interface ErasureCheckpoint {
  readonly logId: string;
  readonly position: Position;
}

/** What was signed last of a log: its form is the signer's. */
export interface SignedState {
  /** Counts what was signed, from 1. */
  readonly seal: number;
  readonly text: string;
}

/**
 * Port: persistent storage of wrapped keys. All writes are durable when they resolve.
 * @throws LogUnavailable where the store does not answer
 */
export abstract class KeyStore {
  /** Waits for the store and creates missing tables. Must be called first. */
  abstract prepare(onWaiting?: (detail: string) => void): Promise<void>;
  /** null: a new store. */
  abstract state(): Promise<StoreState | null>;
  /** Initialises the state, unless another process has. */
  abstract begin(state: StoreState): Promise<void>;
  /** The stored keys of these ids, destroyed ones included. */
  abstract read(ids: readonly string[]): Promise<readonly StoredKey[]>;
  /** Adds a batch; returns its generation. null: refused, for the master key was rotated. */
  abstract add(keys: readonly StoredKey[]): Promise<number | null>;
  /** Overwrites the key irrevocably, and keeps a tombstone. */
  abstract destroy(id: string, at: number): Promise<void>;
  /**
   * Makes the key a child of `parent`, to be destroyed with it. False: the parent is destroyed or missing; nothing is
   * changed. A key that has a parent keeps it.
   */
  abstract placeBelow(id: string, parent: string): Promise<boolean>;
  /** Destroys a key and its descendants atomically. Returns all their ids, including those destroyed before. */
  abstract destroyTree(id: string, at: number): Promise<readonly string[]>;
  /** Removes unused keys. */
  abstract remove(ids: readonly string[]): Promise<void>;
  /** Of the erasures of one kind. */
  abstract checkpoint(of?: ErasureKind): Promise<ErasureCheckpoint | null>;
  abstract saveCheckpoint(checkpoint: ErasureCheckpoint, of?: ErasureKind): Promise<void>;
  /** What was signed last under a name; null: nothing. It stands beside the key that signs. */
  abstract signed(origin: string): Promise<SignedState | null>;
  /** Replaces what has the number `before` (0: nothing). False: something else is there, and stays. */
  abstract saveSigned(origin: string, before: number, state: SignedState): Promise<boolean>;
  /** Sets master, root and successor only. */
  abstract replaceMaster(state: Pick<StoreState, 'master' | 'root' | 'successor'>): Promise<void>;
  /** Keys not wrapped with this master key. */
  abstract notUnder(master: string, limit: number): Promise<readonly StoredKey[]>;
  /** Replaces wrapped keys; those destroyed meanwhile stay destroyed. */
  abstract rewrap(keys: readonly StoredKey[]): Promise<void>;
  abstract close(): Promise<void>;
}
