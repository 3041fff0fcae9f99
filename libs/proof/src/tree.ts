import { isSame } from './bytes.js';
import { sha256 } from './hashing.js';
import { nodeHash } from './leaves.js';

/** A node of the tree: the root of the 2^level leaves from index · 2^level on. */
export type NodeReader = (level: number, index: number) => Uint8Array;

/** The highest bit of a number below 2^53; 2^53 needs more than the 32 bits of the operators. */
const powerBelow = (size: number): number => {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
};

const EMPTY_ROOT = sha256(new Uint8Array());

/**
 * The right edge of an RFC 6962 tree: the roots of the full subtrees that it is made of, the largest first. Enough to append
 * to it and to have its root.
 */
export class TreeEdge {
  private readonly nodes: Uint8Array[] = [];

  /** @param heard told of each full node when it is there: those of level 0 are the leaves */
  constructor(
    public size = 0,
    nodes: readonly Uint8Array[] = [],
    private readonly heard: (level: number, index: number, node: Uint8Array) => void = () => undefined,
  ) {
    this.nodes.push(...nodes);
  }

  get edge(): readonly Uint8Array[] {
    return this.nodes;
  }

  push(leaf: Uint8Array): void {
    let node = leaf;
    let [level, index] = [0, this.size];
    this.heard(level, index, node);
    while (index % 2 === 1) {
      node = nodeHash(this.nodes.pop()!, node);
      level += 1;
      index = (index - 1) / 2;
      this.heard(level, index, node);
    }
    this.nodes.push(node);
    this.size += 1;
  }

  get root(): Uint8Array {
    if (this.nodes.length === 0) return EMPTY_ROOT;
    return this.nodes.reduceRight((right, left) => nodeHash(left, right));
  }
}

/** The root of the leaves from `from` until before `to`. */
function rootBetween(node: NodeReader, from: number, to: number): Uint8Array {
  const count = to - from;
  if (count === 1) return node(0, from);
  const half = powerBelow(count);
  if (half * 2 === count) return node(Math.log2(count), from / count);
  return nodeHash(rootBetween(node, from, from + half), rootBetween(node, from + half, to));
}

/** RFC 6962, 2.1.1: the siblings from the leaf up. @param index below `size` */
export function inclusionProof(node: NodeReader, index: number, size: number): Uint8Array[] {
  const path: Uint8Array[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const half = from + powerBelow(to - from);
    if (index < half) {
      path.push(rootBetween(node, half, to));
      to = half;
    } else {
      path.push(rootBetween(node, from, half));
      from = half;
    }
  }
  return path.reverse();
}

/** The root that a proof leads to; null: it is not one of this index and size. */
export function rootOfInclusion(
  leaf: Uint8Array,
  { index, size }: { readonly index: number; readonly size: number },
  path: readonly Uint8Array[],
): Uint8Array | null {
  if (index >= size) return null;
  const sides: boolean[] = [];
  for (let [from, to] = [0, size]; to - from > 1;) {
    const half = from + powerBelow(to - from);
    const isLeft = index < half;
    sides.push(isLeft);
    if (isLeft) to = half;
    else from = half;
  }
  if (sides.length !== path.length) return null;
  return path.reduce(
    (root, sibling, at) => (sides.at(-1 - at) ? nodeHash(root, sibling) : nodeHash(sibling, root)),
    leaf,
  );
}

/** RFC 6962, 2.1.2: that the tree of `size` leaves goes on from that of `old`. @param old 0: nothing is to be shown */
export function consistencyProof(node: NodeReader, old: number, size: number): Uint8Array[] {
  if (old === 0 || old === size) return [];
  const proof: Uint8Array[] = [];
  let [from, to, isWhole] = [0, size, true];
  while (old !== to) {
    const half = from + powerBelow(to - from);
    if (old <= half) {
      proof.push(rootBetween(node, half, to));
      to = half;
    } else {
      proof.push(rootBetween(node, from, half));
      from = half;
      isWhole = false;
    }
  }
  if (!isWhole) proof.push(rootBetween(node, from, to));
  return proof.reverse();
}

export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Whether a proof shows that one tree goes on from another (RFC 9162, 2.1.4.2). */
export function isConsistent(old: TreeHead, now: TreeHead, proof: readonly Uint8Array[]): boolean {
  if (old.size > now.size) return false;
  if (old.size === now.size) return proof.length === 0 && isSame(old.root, now.root);
  if (old.size === 0) return proof.length === 0;
  let [fn, sn] = [old.size - 1, now.size - 1];
  while (fn % 2 === 1) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  const path = fn === 0 ? [old.root, ...proof] : [...proof];
  const first = path.shift();
  if (first === undefined) return false;
  let [fr, sr] = [first, first];
  for (const sibling of path) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      fr = nodeHash(sibling, fr);
      sr = nodeHash(sibling, sr);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
    } else sr = nodeHash(sr, sibling);
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  return sn === 0 && isSame(fr, old.root) && isSame(sr, now.root);
}
