import { HASH_BYTES, type NodeReader, TILE_HEIGHT, TILE_WIDTH, TreeEdge, splitHashes } from '#proof';
import type { ProofStore } from './tables/proof-store.js';

const NOTHING = new Uint8Array(HASH_BYTES);

/**
 * Gives what is made of nodes of the tree, which lie in tiles: finds which tiles it takes, reads these, and makes it.
 * @throws RangeError for a node that is not there
 */
export async function overTiles<T>(
  store: Pick<ProofStore, 'tile'>,
  make: (node: NodeReader) => T,
): Promise<T> {
  const wanted = new Map<string, { level: number; index: number }>();
  make((level, index) => {
    const place = tileOf(level, index);
    wanted.set(`${place.level}/${place.index}`, place);
    return NOTHING;
  });
  const tiles = new Map<string, Uint8Array>();
  for (const [name, place] of wanted) tiles.set(name, (await store.tile(place)) ?? new Uint8Array());
  return make((level, index) => {
    const { level: tile, index: at, first, count } = tileOf(level, index);
    const bytes = tiles.get(`${tile}/${at}`)!.subarray(first * HASH_BYTES, (first + count) * HASH_BYTES);
    if (bytes.length < count * HASH_BYTES) throw new RangeError(`the tree has no node ${level}/${index}`);
    const edge = new TreeEdge();
    for (const node of splitHashes(bytes)) edge.push(node);
    return edge.root;
  });
}

/** The tile that a node is in, or under it, and which of the tile's nodes it is made of. */
function tileOf(level: number, index: number) {
  const tile = Math.floor(level / TILE_HEIGHT);
  const count = 2 ** (level - tile * TILE_HEIGHT);
  const from = index * count;
  const at = Math.floor(from / TILE_WIDTH);
  return { level: tile, index: at, first: from - at * TILE_WIDTH, count };
}
