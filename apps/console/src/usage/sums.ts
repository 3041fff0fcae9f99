import { formatDollars, parseDollars } from '#domain/browser';

/** A group of `GET /usage`. Amounts are decimal strings, and are never added as floats. */
export interface UsageItem {
  readonly runs: number;
  readonly model_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_input_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly estimated_calls: number;
  readonly unpriced_calls: number;
  readonly cost: string;
  readonly day?: string | null;
  readonly project?: string | null;
  readonly key?: string | null;
  readonly model?: string | null;
  readonly mode?: string | null;
  readonly session?: string | null;
  readonly [metadata: `metadata.${string}`]: string | null;
}

/** What the sums can be of, as the page's "Group by" names them. */
export const GROUPS = ['model', 'day', 'mode', 'key', 'session', 'project'] as const;
export type Group = (typeof GROUPS)[number] | `metadata.${string}`;

/** Values of the metadata of runs, by their key. */
export const METADATA = 'metadata.';

export const isGroup = (text: string | null): text is Group =>
  text !== null &&
  (GROUPS.some((group) => group === text) || (text.startsWith(METADATA) && text.length > METADATA.length));

/** The value of a group in an item; null: its runs have none. */
export const valueOf = (item: UsageItem, group: Group): string | null => item[group] ?? null;

/** The exact difference, 0 where the second is more. */
export function leftOf(limit: string, spent: string): string {
  const left = parseDollars(limit) - parseDollars(spent);
  return formatDollars(left < 0n ? 0n : left);
}

/** How much of a whole a part is, from 0 to 1, for drawing only. */
export function shareOf(part: string, whole: string): number {
  const [of, all] = [parseDollars(part), parseDollars(whole)];
  if (all === 0n) return of === 0n ? 0 : 1;
  return Math.min(1, Number((of * 10_000n) / all) / 10_000);
}

/** Cached input of all input, `61 %`; empty: no call reported it. */
export function cachedShare({ input_tokens: input, cached_input_tokens: cached }: UsageItem): string {
  if (cached === undefined || input === 0) return '';
  return `${Math.round((cached / input) * 100)} %`;
}
