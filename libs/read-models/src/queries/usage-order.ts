import { Cursors, type ListPage, Problem, type ProjectId, pageOf } from '#domain';

/** Of a cursor, which holds the values of a group: no list has longer items, and a request line holds no more. */
export const MAX_USAGE_CURSOR = 8_192;

/** An item, by the names of its groups. */
type Grouped = Readonly<Record<string, unknown>>;

interface AskedPage {
  /** Absent: whose calls are shown does not depend on a project. */
  readonly project?: ProjectId | undefined;
  readonly groups: readonly string[];
  /** Absent: all that there are. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** What an item is ordered by: the value of each group. No text is a number, so 0 is free to stand for null. */
const CURSORS = new Cursors<readonly (string | null)[]>(
  'usage',
  (values) => values.map((value) => value ?? 0),
  (parts) => {
    const values = parts.map((part) => (part === 0 ? null : part));
    return values.every((value) => value === null || typeof value === 'string') ? values : null;
  },
);

/**
 * The page of sorted items behind the cursor.
 * @throws Problem invalid_request: the cursor is none of this list; unprocessable: there can be none
 */
export function usagePage<T extends Grouped>(sorted: readonly T[], asked: AskedPage): ListPage<T> {
  const { groups, limit = Infinity, cursor } = asked;
  // Other groups are another list; other times are the same one, narrowed.
  const owner = { project: asked.project, groups: groups.join(',') };
  const after = CURSORS.decode(cursor, owner);
  const from = after === null ? sorted : sorted.filter((item) => orderOf(after, valuesOf(groups, item)) < 0);
  return pageOf(from, limit, (last) => {
    const next = CURSORS.encode(valuesOf(groups, last), owner);
    if (next.length <= MAX_USAGE_CURSOR) return next;
    throw new Problem('unprocessable', 'these groups are too long for a cursor: ask for all, without limit');
  });
}

/** By the groups in their order, null last. */
export const inUsageOrder = (groups: readonly string[], a: Grouped, b: Grouped): number =>
  orderOf(valuesOf(groups, a), valuesOf(groups, b));

const valuesOf = (groups: readonly string[], item: Grouped): readonly (string | null)[] =>
  groups.map((group) => (item[group] as string | null | undefined) ?? null);

function orderOf(a: readonly (string | null)[], b: readonly (string | null)[]): number {
  for (const [at, left] of a.entries()) {
    const right = b[at] ?? null;
    if (left === right) continue;
    if (left === null) return 1;
    if (right === null) return -1;
    return left < right ? -1 : 1;
  }
  return 0;
}
