/** A page of a list is asked for. */
export interface PageRequest {
  /** 1 to 200 */
  readonly limit: number;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  /** null at the end */
  readonly next_cursor: string | null;
}

/**
 * @param found one more than the page holds, if there are more
 * @param cursorOf of the last item on the page
 */
export function pageOf<T>(found: readonly T[], limit: number, cursorOf: (last: T) => string): ListPage<T> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { items, next_cursor: hasMore ? cursorOf(last) : null };
}
