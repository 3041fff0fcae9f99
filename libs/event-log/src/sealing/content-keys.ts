import type { RecordedEvent } from '../envelope.js';
import { LogUnavailable } from '../event-log.js';
import { type ContentKey } from './content-key.js';

export type KnownKey = ContentKey | 'destroyed';

/** The key is destroyed: what it sealed is erased, and nothing more is sealed with it. */
export class ContentErased extends Error {
  override readonly name = 'ContentErased';
}

/** The store has answered, and has not got these keys: what they sealed cannot be read, and nothing is sealed with them. */
export class KeysLost extends LogUnavailable {
  override readonly name: string = 'KeysLost';

  constructor(readonly ids: readonly string[]) {
    super(`not in the key store: ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ' …' : ''}`);
  }
}

/** Whether something could not be done because what it needs is erased. */
export const isErasure = (error: unknown): error is Error =>
  error instanceof ContentErased || (error instanceof Error && error.cause instanceof ContentErased);

/**
 * The keys that content is sealed with, by their ids. Each is made ahead and durable before its id is given out; one that
 * was destroyed is known as such for ever.
 */
export abstract class ContentKeys {
  private readonly unreadableListeners = new Set<(event: RecordedEvent) => void>();
  private readonly listeners = new Set<(id: string) => void>();

  /** What is in memory. undefined: ask `load` first. */
  abstract peek(id: string): KnownKey | undefined;

  /** What was brought into memory a moment ago. @throws LogUnavailable where it went out of it again */
  loaded(id: string): KnownKey {
    const known = this.peek(id);
    if (known === undefined) throw new LogUnavailable(`the key ${id} is not at hand any more`);
    return known;
  }

  /** Brings keys into memory. @throws LogUnavailable where the store does not answer; KeysLost where it has not got some, the others are in memory then */
  abstract load(ids: Iterable<string>): Promise<void>;

  /** Id of a key that nothing was sealed with, in memory. @throws LogUnavailable */
  abstract draw(): Promise<string>;

  /** For good: when this resolves no byte of the key is left in the store. Doing it again does nothing. @throws LogUnavailable */
  abstract destroy(id: string): Promise<void>;
  /** From now on the key is destroyed with the other one. @throws ContentErased where that one is destroyed; LogUnavailable */
  abstract placeBelow(id: string, parent: string): Promise<void>;
  /** The same as `destroy` for the key and all that are below it, at once. @throws LogUnavailable */
  abstract destroyTree(id: string): Promise<void>;

  /** What is known of the keys, loading what is not in memory. */
  async get(id: string): Promise<KnownKey> {
    if (this.peek(id) === undefined) await this.load([id]);
    return this.loaded(id);
  }

  /** The same for who only reads: the ids that the store has not got. @throws LogUnavailable where it does not answer */
  async loadAll(ids: Iterable<string>): Promise<readonly string[]> {
    try {
      await this.load(ids);
      return [];
    } catch (error) {
      if (error instanceof KeysLost) return error.ids;
      throw error;
    }
  }

  /** Tells of each event that was read and does not open, each time. */
  onUnreadable(listener: (event: RecordedEvent) => void): void {
    this.unreadableListeners.add(listener);
  }

  tellUnreadable(event: RecordedEvent): void {
    for (const listener of this.unreadableListeners) listener(event);
  }

  /** Tells whoever keeps copies of keys or of what they sealed when one is destroyed. */
  onDestroyed(listener: (id: string) => void): void {
    this.listeners.add(listener);
  }

  protected tellDestroyed(id: string): void {
    for (const listener of this.listeners) listener(id);
  }
}
