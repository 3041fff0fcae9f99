import { createHash } from 'node:crypto';
import { LogUnavailable } from '../event-log.js';
import { ContentKey } from './content-key.js';
import { ContentKeys, type KnownKey } from './content-keys.js';

/** Keys in memory, for tests and the simulation: the n-th of a seed is always the same. */
export class MemoryContentKeys extends ContentKeys {
  private readonly keys = new Map<string, KnownKey>();

  constructor(private readonly seed = 'annals') {
    super();
  }

  override peek(id: string): KnownKey | undefined {
    return this.keys.get(id);
  }

  override async load(ids: Iterable<string>): Promise<void> {
    for (const id of ids)
      if (!this.keys.has(id)) throw new LogUnavailable(`the key ${id} is not in the key store`);
  }

  override async draw(): Promise<string> {
    const bytes = createHash('sha256').update(`${this.seed} ${this.keys.size}`).digest();
    const key = new ContentKey(createHash('sha256').update(bytes).digest('base64url').slice(0, 22), bytes);
    this.keys.set(key.id, key);
    return key.id;
  }

  override async destroy(id: string): Promise<void> {
    this.keys.set(id, 'destroyed');
    this.tellDestroyed(id);
  }
}
