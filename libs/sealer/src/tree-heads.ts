import { type NodeReader, TreeEdge, consistencyProof } from '#proof';
import type { ProofStore } from './tables/proof-store.js';
import { overTiles } from './tile-nodes.js';

/** The tree as it was at smaller sizes. */
export class TreeHeads {
  constructor(private readonly store: Pick<ProofStore, 'tile'>) {}

  /** That the tree of `size` leaves goes on from that of `old`. */
  consistency(old: number, size: number): Promise<readonly Uint8Array[]> {
    return overTiles(this.store, (node) => consistencyProof(node, old, size));
  }

  /** Of the first `size` leaves. */
  root(size: number): Promise<Uint8Array> {
    return overTiles(this.store, (node) => new TreeEdge(size, edgeOf(node, size)).root);
  }
}

/** The roots of the full subtrees of so many leaves, the largest first. */
function edgeOf(node: NodeReader, size: number): readonly Uint8Array[] {
  const edge: Uint8Array[] = [];
  let from = 0;
  for (let level = 52; level >= 0; level--) {
    const width = 2 ** level;
    if (size - from < width) continue;
    edge.push(node(level, from / width));
    from += width;
  }
  return edge;
}
