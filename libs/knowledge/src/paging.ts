import { invalid } from '#domain';

/** A list's page, newest first. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

export interface Place {
  readonly createdAt: number;
  readonly id: string;
}

/** Everything older than this is on the page. @throws Problem invalid_request */
export function placeOf(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null;
  const [, time, id] = /^(\d{1,15})\.([a-z0-9_]{1,80})$/i.exec(decoded(cursor)) ?? [];
  if (time === undefined || id === undefined)
    throw invalid('cursor', 'must be the next_cursor of a page of this list');
  return { createdAt: Number(time), id };
}

/** @param found one more than the page holds, if there are more */
export function pageOf<T extends Place>(found: readonly T[], limit: number): Page<T> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const next = found.length > limit && last !== undefined ? encoded(last) : null;
  return { items, next_cursor: next };
}

const encoded = ({ createdAt, id }: Place): string => Buffer.from(`${createdAt}.${id}`).toString('base64url');
const decoded = (cursor: string): string => Buffer.from(cursor, 'base64url').toString('latin1');
