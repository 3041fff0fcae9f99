import { toHex, utf8 } from '../bytes.js';
import { startSha256 } from '../hashing.js';
import { linkOf, tagOf } from '../leaves.js';
import type { Sha256 } from '../primitives.js';

/**
 * The two chains over the events of a stream, as far as they have come: `prev` of docs/log-format.md, over what was appended
 * behind a revision, and the link of docs/proof.md, over all.
 */
export class ChainFold {
  private last: string;
  /** Of the array that the next `prev` is the hash of; null: nothing came without one. */
  private taken: Sha256 | null = null;
  private linked: Uint8Array;

  constructor(stream: string) {
    const tag = tagOf(stream);
    this.last = toHex(tag);
    this.linked = tag;
  }

  get link(): Uint8Array {
    return this.linked;
  }

  /** Whether its `prev` is what it has to be. */
  push(prev: string, hash: Uint8Array): boolean {
    this.linked = linkOf(this.linked, hash);
    if (prev === '') {
      this.take(hash);
      return true;
    }
    const expected = this.expected();
    this.last = toHex(hash);
    this.taken = null;
    return prev === expected;
  }

  private take(hash: Uint8Array): void {
    if (this.taken === null) {
      this.taken = startSha256();
      this.taken.add(utf8(`["${this.last}"`));
    }
    this.taken.add(utf8(`,"${toHex(hash)}"`));
  }

  private expected(): string {
    if (this.taken === null) return this.last;
    this.taken.add(utf8(']'));
    return toHex(this.taken.digest());
  }
}
