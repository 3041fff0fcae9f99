import type { EventMeta } from '../envelope.js';
import { ContentKey } from '../keys/content-key.js';
import type { KnownKey } from '../keys/content-keys.js';

/** The keys that the log's thread was given. It asks nobody: what it does not know it hands over sealed. */
export class ThreadKeys {
  private readonly known = new Map<string, KnownKey>();
  private metaText = '';
  private meta: EventMeta | null = null;

  /** @param keys id and bytes by turns, a character each; no bytes: the key is destroyed */
  learn(keys: readonly string[]): void {
    for (let i = 0; i < keys.length; i += 2) {
      const [id = '', bytes = ''] = keys.slice(i, i + 2);
      this.known.set(id, bytes === '' ? 'destroyed' : new ContentKey(id, Buffer.from(bytes, 'latin1')));
    }
  }

  forget(ids: readonly string[]): void {
    for (const id of ids) this.known.delete(id);
  }

  get(id: string): KnownKey | undefined {
    return this.known.get(id);
  }

  /** A meta of a row; events that follow each other mostly share theirs. */
  metaOf(text: string): EventMeta {
    if (this.meta === null || text !== this.metaText) {
      this.meta = JSON.parse(text) as EventMeta;
      this.metaText = text;
    }
    return this.meta;
  }
}
