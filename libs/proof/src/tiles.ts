/** Tiles of a tree, as they are kept and served (https://c2sp.org/tlog-tiles). */

/** Levels of the tree in a tile. */
export const TILE_HEIGHT = 8;
/** Nodes of a full tile, and entries of a full bundle. */
export const TILE_WIDTH = 256;

/** `x001/x234/067.p/8`: the index in groups of three digits, all but the last marked; a full tile names no width. */
export function tilePath(index: number, width: number): string {
  let path = String(index % 1000).padStart(3, '0');
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000))
    path = `x${String(rest % 1000).padStart(3, '0')}/${path}`;
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}
