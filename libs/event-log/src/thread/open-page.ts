import { decodeRows, type StoredEvent, type Upcast } from '../codec.js';
import type { ContentKeys, KnownKey } from '../sealing/content-keys.js';
import type { KnownKeys } from './known-keys.js';
import type { Page } from './page-rows.js';

export interface PageTerms {
  readonly keys: ContentKeys | null;
  /** Of the thread that has read the page. */
  readonly known: KnownKeys;
  readonly upcast: Upcast | undefined;
}

/** The events of a page. What the thread could not open is opened here; from now on it can. @throws LogUnavailable */
export async function openPage(page: Page, terms: PageTerms): Promise<StoredEvent[]> {
  const { keys, known } = terms;
  if (page.unknown === undefined || keys === null) return openLoaded(page, terms);
  const lost = await keys.loadAll(page.unknown);
  known.give(page.unknown);
  return openLoaded(page, terms, lost);
}

/** The same, where the keys are in memory. @param lost those that nobody has */
export function openLoaded(
  page: Omit<Page, 'position'>,
  { keys, upcast }: PageTerms,
  lost: readonly string[] = [],
): StoredEvent[] {
  // Of rows as they are stored nobody has to open the data.
  const isRaw = page.proofs !== undefined;
  const keyOf = (id: string): KnownKey | null =>
    (isRaw || lost.includes(id) ? keys?.peek(id) : keys?.loaded(id)) ?? null;
  const events = decodeRows(page, upcast, keyOf);
  for (const event of events) if (event.isUnreadable) keys?.tellUnreadable(event);
  return events;
}
