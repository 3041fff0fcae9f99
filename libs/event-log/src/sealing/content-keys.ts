import type { RecordedEvent } from '../envelope.js';
import { LogUnavailable } from '../event-log.js';
import { type ContentKey } from './content-key.js';

export type KnownKey = ContentKey | 'destroyed';

/** The key is destroyed (crypto-shredding): what it encrypted is erased, and it encrypts nothing more. */
export class ContentErased extends Error {
  override readonly name = 'ContentErased';
}

/**
 * The key store answered and does not have these keys: what they encrypted is unreadable, and they cannot
 * encrypt.
 */
export class KeysLost extends LogUnavailable {
  override readonly name: string = 'KeysLost';

  constructor(readonly ids: readonly string[]) {
    super(`not in the key store: ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ' …' : ''}`);
  }
}

/** Whether the error means that the needed content is erased. */
export const isErasure = (error: unknown): error is Error =>
  error instanceof ContentErased || (error instanceof Error && error.cause instanceof ContentErased);

/**
 * Port: content encryption keys by id. Each is created ahead of use and durable before its id is given out; a
 * destroyed key stays known as such.
 */
export abstract class ContentKeys {
  private readonly unreadableListeners = new Set<(event: RecordedEvent) => void>();
  private readonly listeners = new Set<(id: string) => void>();

  /** The key if cached in memory. undefined: call `load` first. */
  abstract peek(id: string): KnownKey | undefined;

  /**
   * The key, loaded just before.
   * @throws LogUnavailable where it was evicted meanwhile
   */
  loaded(id: string): KnownKey {
    const known = this.peek(id);
    if (known === undefined) throw new LogUnavailable(`the key ${id} is not at hand any more`);
    return known;
  }

  /**
   * Loads keys into the cache.
   * @throws LogUnavailable where the store does not answer; KeysLost where it lacks some, with the others
   * loaded
   */
  abstract load(ids: Iterable<string>): Promise<void>;

  /**
   * Id of an unused key, cached.
   * @throws LogUnavailable
   */
  abstract draw(): Promise<string>;

  /**
   * Destroys a key irrevocably: when this resolves no byte of it is left in the store. Idempotent.
   * @throws LogUnavailable
   */
  abstract destroy(id: string): Promise<void>;
  /**
   * Makes the key a child of `parent`, to be destroyed with it.
   * @throws ContentErased where the parent is destroyed; LogUnavailable
   */
  abstract placeBelow(id: string, parent: string): Promise<void>;
  /**
   * Destroys the key and all its descendants atomically.
   * @throws LogUnavailable
   */
  abstract destroyTree(id: string): Promise<void>;

  /** The key, loaded if it is not cached. */
  async get(id: string): Promise<KnownKey> {
    if (this.peek(id) === undefined) await this.load([id]);
    return this.loaded(id);
  }

  /**
   * As `load`, but returns the ids that the store lacks instead of throwing, for readers.
   * @throws LogUnavailable where the store does not answer
   */
  async loadAll(ids: Iterable<string>): Promise<readonly string[]> {
    try {
      await this.load(ids);
      return [];
    } catch (error) {
      if (error instanceof KeysLost) return error.ids;
      throw error;
    }
  }

  /** Calls `listener` each time that an event read cannot be decrypted. */
  onUnreadable(listener: (event: RecordedEvent) => void): void {
    this.unreadableListeners.add(listener);
  }

  tellUnreadable(event: RecordedEvent): void {
    for (const listener of this.unreadableListeners) listener(event);
  }

  /** Calls `listener` when a key is destroyed, so that copies of it and of decrypted content are dropped. */
  onDestroyed(listener: (id: string) => void): void {
    this.listeners.add(listener);
  }

  protected tellDestroyed(id: string): void {
    for (const listener of this.listeners) listener(id);
  }
}
