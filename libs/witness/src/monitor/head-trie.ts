import { type Head, nodeHash, rootAmong } from '#proof';
import type { Heads } from '../held.js';

/** Of the nodes that are kept. */
const DEPTH = 16;
const FIRST = 1 << DEPTH;
const BYTES = 32;
const EMPTY = new Uint8Array(BYTES);

const prefixOf = (tag: Uint8Array): number => (tag[0]! << 8) + tag[1]!;

/**
 * The directory of a log whose heads are stored elsewhere (docs/proof.md): in memory are the nodes down to depth 16, 4 MB;
 * what is below one is made again from its few heads when one of them has changed. The root is node 1, below n are 2n and
 * 2n + 1.
 */
export class HeadTrie {
  private readonly counts = new Uint32Array(2 * FIRST);
  private readonly nodes = new Uint8Array(2 * FIRST * BYTES);
  private readonly isMade = new Uint8Array(2 * FIRST);

  constructor(private readonly heads: Pick<Heads, 'counts' | 'below'>) {
    for (const { prefix, count } of heads.counts()) this.count(prefix, count);
  }

  /** A head was stored. @param isNew its tag had none */
  changed({ tag }: Pick<Head, 'tag'>, isNew: boolean): void {
    this.count(prefixOf(tag), isNew ? 1 : 0);
  }

  get root(): Uint8Array {
    return this.node(1).slice();
  }

  /** Makes the nodes of some prefixes, so that the root takes less at once. @returns whether there are more */
  make(from: number, to: number): boolean {
    for (let prefix = from; prefix < Math.min(to, FIRST); prefix++) this.node(FIRST + prefix);
    return to < FIRST;
  }

  private count(prefix: number, more: number): void {
    for (let place = FIRST + prefix; place > 0; place >>= 1) {
      this.counts[place]! += more;
      this.isMade[place] = 0;
    }
  }

  private node(place: number): Uint8Array {
    const node = this.nodes.subarray(place * BYTES, (place + 1) * BYTES);
    if (this.isMade[place] === 0) {
      node.set(this.made(place));
      this.isMade[place] = 1;
    }
    return node;
  }

  private made(place: number): Uint8Array {
    if (this.counts[place] === 0) return EMPTY;
    if (place >= FIRST) return rootAmong(this.heads.below(place - FIRST), DEPTH);
    const [left, right] = [place * 2, place * 2 + 1];
    // One head alone is its own leaf hash, at any depth.
    if (this.counts[place] === 1) return this.node(this.counts[left] === 1 ? left : right);
    return nodeHash(this.node(left), this.node(right));
  }
}
