import type { EventMeta } from '../envelope.js';
import { ContentKey } from '../sealing/content-key.js';
import type { KnownKey } from '../sealing/content-keys.js';
import { LogDamaged } from './log-damaged.js';

/** Cached metas: each event of a run bears the same, so as many as runs may be in progress. */
const KNOWN_METAS = 2_000;

/**
 * Key cache of an adapter's thread, filled by the main thread. Rows of a missing key are returned encrypted.
 */
export class ThreadKeys {
  private readonly known = new Map<string, KnownKey>();
  private readonly metas = new Map<string, EventMeta>();

  /** @param keys id and bytes alternating, bytes as one character each; empty: the key is destroyed */
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

  /** Parses a row's meta; the same text gives the same object. @throws LogDamaged */
  metaOf(text: string): EventMeta {
    let meta = this.metas.get(text);
    if (meta !== undefined) return meta;
    meta = parsedMeta(text);
    if (this.metas.size >= KNOWN_METAS) this.metas.clear();
    this.metas.set(text, meta);
    return meta;
  }
}

/** Whoever reads is refused; a thread that ended with it would be ended by each reader again. */
function parsedMeta(text: string): EventMeta {
  let meta: unknown = null;
  try {
    meta = JSON.parse(text);
  } catch {
    // As what is no object: nothing that was written.
  }
  if (typeof meta !== 'object' || meta === null) throw new LogDamaged('the meta of an event is damaged');
  return meta as EventMeta;
}
