import { invalid } from '#domain';

/** A place in a list that is ordered by time and id, the newest first: everything after the item that it names. */
export interface ListCursor {
  /** ms since 1970 */
  readonly createdAt: number;
  readonly id: string;
}

export interface PageRequest {
  /** 1 to 200 */
  readonly limit: number;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** null at the end */
  readonly next_cursor: string | null;
}

export const encodeCursor = ({ createdAt, id }: ListCursor): string =>
  Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');

/** @throws Problem invalid_request */
export function decodeCursor(cursor: string | undefined): ListCursor | null {
  if (cursor === undefined) return null;
  const [createdAt, id] = parse(cursor);
  if (!Number.isSafeInteger(createdAt) || typeof id !== 'string' || id.includes('\0') || !id.isWellFormed())
    throw invalid('cursor', 'must be the next_cursor of a page of this list');
  return { createdAt: createdAt as number, id };
}

/**
 * @param found one more than the page holds, if there are more
 * @param view null: it is left out
 */
export function pageOf<E, T>(
  found: readonly E[],
  limit: number,
  view: (row: E) => T | null,
  placeOf: (row: E) => ListCursor,
): Page<T> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  const views = items.map(view).filter((item) => item !== null);
  return { items: views, next_cursor: hasMore ? encodeCursor(placeOf(last)) : null };
}

function parse(cursor: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parsed) ? (parsed as unknown[]) : [];
  } catch {
    return [];
  }
}
