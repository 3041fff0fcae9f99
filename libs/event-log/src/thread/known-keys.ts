import { LogUnavailable } from '../event-log.js';
import { ContentErased, type ContentKeys } from '../sealing/content-keys.js';
import type { KeysRequest } from './append-request.js';
import type { PendingAppend } from './pending-append.js';

/** Bound on keys in the thread. */
const CAPACITY = 5_000;
const DROPPED = CAPACITY / 10;

/** Main thread's record of which keys the worker's cache holds. The worker evicts only as told. */
export class KnownKeys {
  private readonly ids = new Set<string>();

  constructor(
    private readonly keys: ContentKeys | null,
    private readonly send: (request: KeysRequest) => void,
  ) {}

  /** For a new thread, which has none. */
  clear(): void {
    this.ids.clear();
  }

  /** Sends the thread those keys that are cached here and not there. */
  give(wanted: Iterable<string | undefined>): void {
    const keys = this.toGive(wanted);
    if (keys.length > 0) this.send({ kind: 'keys', keys });
  }

  /** The same, as part of another request. */
  toGive(wanted: Iterable<string | undefined>): readonly string[] {
    // Before, so that the thread has all that is wanted now.
    if (this.ids.size > CAPACITY) this.drop();
    const given: string[] = [];
    for (const id of wanted) {
      if (id === undefined || this.ids.has(id)) continue;
      const key = this.keys?.peek(id);
      if (key === undefined) continue;
      this.ids.add(id);
      // As text: of a small buffer the whole memory that it shares with others would be copied.
      given.push(id, key === 'destroyed' ? '' : key.bytes.toString('latin1'));
    }
    return given;
  }

  /** Refuses a pending append whose key was destroyed or evicted meanwhile. */
  canSeal(append: PendingAppend): boolean {
    let before: unknown;
    for (const { meta, raw } of append.events) {
      if (meta === before || meta.keyId === undefined || raw !== undefined) continue;
      before = meta;
      const key = this.keys?.peek(meta.keyId);
      if (typeof key === 'object') continue;
      const isOutOfMemory = this.keys !== null && key === undefined;
      const why = `nothing can be sealed with the key ${meta.keyId}`;
      append.reject(isOutOfMemory ? new LogUnavailable(why) : new ContentErased(why));
      return false;
    }
    return true;
  }

  /** Replaces a destroyed key in the thread. */
  replace(id: string): void {
    if (!this.ids.delete(id)) return;
    this.send({ kind: 'forget', ids: [id] });
  }

  private drop(): void {
    const oldest: string[] = [];
    for (const id of this.ids) {
      if (oldest.length >= DROPPED) break;
      oldest.push(id);
    }
    for (const id of oldest) this.ids.delete(id);
    this.send({ kind: 'forget', ids: oldest });
  }
}
