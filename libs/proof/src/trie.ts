import { toHex } from './bytes.js';
import { headEntry, leafHash, nodeHash } from './leaves.js';

/** Where a stream ends. */
export interface Head {
  readonly tag: Uint8Array;
  readonly revision: number;
  readonly link: Uint8Array;
}

const EMPTY = new Uint8Array(32);
/** Of the nodes that are kept; what is below is made again from the few heads there. */
const KEPT_DEPTH = 16;
const FIRST_BUCKET = 1 << KEPT_DEPTH;

export const bitOf = (tag: Uint8Array, depth: number): number => (tag[depth >> 3]! >> (7 - (depth & 7))) & 1;

/** Its place among the kept nodes: the root is 1, below n are 2n and 2n + 1. */
const bucketOf = (tag: Uint8Array): number => FIRST_BUCKET + (tag[0]! << 8) + tag[1]!;

const leafOf = ({ tag, revision, link }: Head): Uint8Array => leafHash(headEntry(tag, revision, link));

/**
 * The directory: a binary trie over the head entry of each stream, keyed by its tag. Its root says of every stream where it
 * ends, and can say it in one way only: the place of a head is its tag.
 */
export class Directory {
  /** By place, of depth 16. */
  private readonly buckets = new Map<number, Map<string, Head>>();
  /** Heads below a place. */
  private readonly counts = new Uint32Array(2 * FIRST_BUCKET);
  /** By place, where nothing below has changed since. */
  private readonly nodes: (Uint8Array | undefined)[] = [];

  /** How many streams it has. */
  get size(): number {
    return this.counts[1]!;
  }

  get(tag: Uint8Array): Head | null {
    return this.buckets.get(bucketOf(tag))?.get(toHex(tag)) ?? null;
  }

  set(head: Head): void {
    const bucket = bucketOf(head.tag);
    const heads = this.buckets.get(bucket) ?? new Map<string, Head>();
    this.buckets.set(bucket, heads);
    const name = toHex(head.tag);
    const more = heads.has(name) ? 0 : 1;
    heads.set(name, head);
    for (let place = bucket; place > 0; place >>= 1) {
      this.counts[place]! += more;
      this.nodes[place] = undefined;
    }
  }

  get root(): Uint8Array {
    return this.node(1);
  }

  /** The siblings from a stream's head up to the root; null: it has none. */
  path(tag: Uint8Array): Uint8Array[] | null {
    if (this.get(tag) === null) return null;
    const siblings: Uint8Array[] = [];
    let place = 1;
    for (let depth = 0; this.counts[place]! > 1 && place < FIRST_BUCKET; depth++) {
      place = place * 2 + bitOf(tag, depth);
      siblings.push(this.node(place ^ 1));
    }
    if (this.counts[place]! > 1) siblings.push(...pathAmong(this.headsOf(place), tag, KEPT_DEPTH));
    return siblings.reverse();
  }

  private node(place: number): Uint8Array {
    return (this.nodes[place] ??= this.made(place));
  }

  private made(place: number): Uint8Array {
    if (this.counts[place] === 0) return EMPTY;
    if (place >= FIRST_BUCKET) return rootAmong(this.headsOf(place), KEPT_DEPTH);
    const [left, right] = [place * 2, place * 2 + 1];
    // One head alone is its own leaf hash, at any depth.
    if (this.counts[place] === 1) return this.node(this.counts[left] === 1 ? left : right);
    return nodeHash(this.node(left), this.node(right));
  }

  private headsOf(bucket: number): readonly Head[] {
    return [...(this.buckets.get(bucket)?.values() ?? [])];
  }
}

/** The node of heads whose tags are the same up to a depth. */
function rootAmong(heads: readonly Head[], depth: number): Uint8Array {
  const [first] = heads;
  if (first === undefined) return EMPTY;
  if (heads.length === 1) return leafOf(first);
  const [left = [], right = []] = [0, 1].map((bit) => heads.filter(({ tag }) => bitOf(tag, depth) === bit));
  return nodeHash(rootAmong(left, depth + 1), rootAmong(right, depth + 1));
}

/** The siblings from a depth down to a head. */
function pathAmong(heads: readonly Head[], tag: Uint8Array, from: number): Uint8Array[] {
  const siblings: Uint8Array[] = [];
  let rest = heads;
  for (let depth = from; rest.length > 1; depth++) {
    const bit = bitOf(tag, depth);
    siblings.push(
      rootAmong(
        rest.filter((head) => bitOf(head.tag, depth) !== bit),
        depth + 1,
      ),
    );
    rest = rest.filter((head) => bitOf(head.tag, depth) === bit);
  }
  return siblings;
}

/** The root that a head and its siblings lead to; null: they are more than a tag has bits. */
export function rootOfPath(head: Head, siblings: readonly Uint8Array[]): Uint8Array | null {
  if (siblings.length > 256) return null;
  return siblings.reduce((root, sibling, at) => {
    const depth = siblings.length - 1 - at;
    return bitOf(head.tag, depth) === 1 ? nodeHash(sibling, root) : nodeHash(root, sibling);
  }, leafOf(head));
}
