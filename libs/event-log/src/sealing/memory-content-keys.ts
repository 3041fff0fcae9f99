import { createHash } from 'node:crypto';
import { ContentKey } from './content-key.js';
import { ContentErased, ContentKeys, KeysLost, type KnownKey } from './content-keys.js';

/** In-memory keys for tests and the simulation; deterministic by seed. */
export class MemoryContentKeys extends ContentKeys {
  private readonly keys = new Map<string, KnownKey>();
  /** Parent of each key. */
  private readonly parents = new Map<string, string>();

  constructor(private readonly seed = 'annals') {
    super();
  }

  override peek(id: string): KnownKey | undefined {
    return this.keys.get(id);
  }

  override async load(ids: Iterable<string>): Promise<void> {
    const lost = [...ids].filter((id) => !this.keys.has(id));
    if (lost.length > 0) throw new KeysLost(lost);
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

  override async placeBelow(id: string, parent: string): Promise<void> {
    if (typeof this.keys.get(parent) !== 'object')
      throw new ContentErased(`nothing is kept below the key ${parent} any more`);
    if (!this.parents.has(id)) this.parents.set(id, parent);
  }

  override async destroyTree(id: string): Promise<void> {
    await this.destroy(id);
    for (const [one, parent] of this.parents) if (parent === id) await this.destroy(one);
  }
}
