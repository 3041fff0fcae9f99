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
export const BUCKETS = 1 << KEPT_DEPTH;

export const bitOf = (tag: Uint8Array, depth: number): number => (tag[depth >> 3]! >> (7 - (depth & 7))) & 1;

/** The heads whose tags begin with the same 16 bits are one bucket: its number. */
export const bucketOf = (tag: Uint8Array): number => (tag[0]! << 8) + tag[1]!;

const leafOf = ({ tag, revision, link }: Head): Uint8Array => leafHash(headEntry(tag, revision, link));

/** The node of a bucket's heads. */
export const bucketNode = (heads: readonly Head[]): Uint8Array => rootAmong(heads, KEPT_DEPTH);

/**
 * The directory from its buckets up: 4 MB at most, however many streams there are. Who holds the heads elsewhere, e.g. in a
 * table, sets the buckets that changed.
 */
export class DirectoryNodes {
  /** Heads below a place: the root is 1, below n are 2n and 2n + 1. */
  private readonly counts = new Uint32Array(2 * BUCKETS);
  /** By place, where nothing below has changed since. */
  private readonly nodes: (Uint8Array | undefined)[] = [];

  /** How many streams it has. */
  get size(): number {
    return this.counts[1]!;
  }

  /** @param count of its heads. @param node `bucketNode` of them */
  set(bucket: number, count: number, node: Uint8Array): void {
    const more = count - this.counts[BUCKETS + bucket]!;
    for (let place = BUCKETS + bucket; place > 0; place >>= 1) {
      this.counts[place]! += more;
      this.nodes[place] = undefined;
    }
    this.nodes[BUCKETS + bucket] = node;
  }

  get root(): Uint8Array {
    return this.node(1);
  }

  /** The siblings from a stream's head up to the root. @param heads those of its bucket, itself among them */
  path(tag: Uint8Array, heads: readonly Head[]): Uint8Array[] {
    const siblings: Uint8Array[] = [];
    let place = 1;
    for (let depth = 0; this.counts[place]! > 1 && place < BUCKETS; depth++) {
      place = place * 2 + bitOf(tag, depth);
      siblings.push(this.node(place ^ 1));
    }
    if (this.counts[place]! > 1) siblings.push(...pathAmong(heads, tag, KEPT_DEPTH));
    return siblings.reverse();
  }

  private node(place: number): Uint8Array {
    return (this.nodes[place] ??= this.made(place));
  }

  private made(place: number): Uint8Array {
    if (this.counts[place] === 0) return EMPTY;
    const [left, right] = [place * 2, place * 2 + 1];
    // One head alone is its own leaf hash, at any depth.
    if (this.counts[place] === 1) return this.node(this.counts[left] === 1 ? left : right);
    return nodeHash(this.node(left), this.node(right));
  }
}

/**
 * The directory: a binary trie over the head entry of each stream, keyed by its tag. Its root says of every stream where it
 * ends, and can say it in one way only: the place of a head is its tag. Holds all heads in memory.
 */
export class Directory {
  private readonly buckets = new Map<number, Map<string, Head>>();
  private readonly changed = new Set<number>();
  private readonly nodes = new DirectoryNodes();

  /** How many streams it has. */
  get size(): number {
    return this.upToDate.size;
  }

  get(tag: Uint8Array): Head | null {
    return this.buckets.get(bucketOf(tag))?.get(toHex(tag)) ?? null;
  }

  set(head: Head): void {
    const bucket = bucketOf(head.tag);
    const heads = this.buckets.get(bucket) ?? new Map<string, Head>();
    this.buckets.set(bucket, heads);
    heads.set(toHex(head.tag), head);
    this.changed.add(bucket);
  }

  get root(): Uint8Array {
    return this.upToDate.root;
  }

  /** The siblings from a stream's head up to the root; null: it has none. */
  path(tag: Uint8Array): Uint8Array[] | null {
    return this.get(tag) === null ? null : this.upToDate.path(tag, this.headsOf(bucketOf(tag)));
  }

  private get upToDate(): DirectoryNodes {
    for (const bucket of this.changed) {
      const heads = this.headsOf(bucket);
      this.nodes.set(bucket, heads.length, bucketNode(heads));
    }
    this.changed.clear();
    return this.nodes;
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
