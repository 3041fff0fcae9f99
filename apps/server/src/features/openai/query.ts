import { refused, requireIncludable } from '#openai-face';

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What a list is asked for. */
export interface ListTerms {
  readonly limit: number;
  readonly isDescending: boolean;
  readonly after: string | null;
}

/** @throws Problem: a parameter that is not known, or is given twice */
export function queryOf(query: unknown, ...names: readonly string[]): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const [name, value] of Object.entries((query ?? {}) as Query)) {
    if (isInclude(name) && names.includes('include')) {
      for (const one of [value ?? ''].flat()) requireIncludable(one, 'include');
      continue;
    }
    if (!names.includes(name)) throw refused('unknown_parameter', name, `Unknown parameter: '${name}'.`);
    if (typeof value !== 'string') throw refused('invalid_type', name, `${name}: must be given once`);
    known.set(name, value);
  }
  return known;
}

const isInclude = (name: string): boolean =>
  name === 'include' || name === 'include[]' || /^include\[\d{1,3}\]$/.test(name);

/** @throws Problem invalid_value */
export function listTermsOf(query: unknown): ListTerms {
  const known = queryOf(query, 'limit', 'order', 'after', 'include');
  const { limit = '20', order = 'desc', after = null } = Object.fromEntries(known);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100)
    throw refused('invalid_value', 'limit', 'limit: must be a whole number from 1 to 100');
  if (order !== 'asc' && order !== 'desc')
    throw refused('invalid_value', 'order', 'order: must be asc or desc');
  return { limit: Number(limit), isDescending: order === 'desc', after };
}

/** A page of a list. @param items in the order in which they came @throws Problem invalid_value */
export function pageOf<T extends { readonly id: string }>(
  items: readonly T[],
  { limit, isDescending, after }: ListTerms,
): object {
  const ordered = isDescending ? items.toReversed() : items;
  const at = after === null ? -1 : ordered.findIndex(({ id }) => id === after);
  if (after !== null && at < 0) throw refused('invalid_value', 'after', 'after: is no item of this list');
  const data = ordered.slice(at + 1, at + 1 + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: ordered.length > at + 1 + data.length,
  };
}

/** @throws Problem invalid_value */
export function flagOf(query: ReadonlyMap<string, string>, name: string): boolean {
  const value = query.get(name) ?? 'false';
  if (value !== 'true' && value !== 'false')
    throw refused('invalid_value', name, `${name}: must be true or false`);
  return value === 'true';
}
