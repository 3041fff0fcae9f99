import { TILE_WIDTH, tilePath } from '#proof';

/** What a path under `/proof/tile/` asks for (https://c2sp.org/tlog-tiles). */
export interface TileRequest {
  /** null: a bundle of entries. */
  readonly level: number | null;
  readonly index: number;
  /** Nodes or entries, 1 to 256. */
  readonly width: number;
}

const TILE = /^(entries|\d{1,2})\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/(\d{1,3}))?$/;
const MAX_LEVEL = 63;

/** null: it is none, or spells one in another way than the only one. */
export function readTilePath(path: string): TileRequest | null {
  const [, level = '', place = '', width] = TILE.exec(path) ?? [];
  const index = Number(place.replaceAll(/[x/]/g, ''));
  const request = {
    level: level === 'entries' ? null : Number(level),
    index,
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  if (!Number.isSafeInteger(index) || (request.level ?? 0) > MAX_LEVEL) return null;
  const isPart = width === undefined || (request.width >= 1 && request.width < TILE_WIDTH);
  return isPart && `${request.level ?? 'entries'}/${tilePath(index, request.width)}` === path
    ? request
    : null;
}
