import { decodeRows, type StoredEvent, type Upcast } from '../codec.js';
import type { ContentKeys, KnownKey } from '../sealing/content-keys.js';
import type { KnownKeys } from './known-keys.js';
import type { Page } from './page-rows.js';

export interface PageTerms {
  readonly keys: ContentKeys | null;
  /** Key cache of the thread that read the page. */
  readonly known: KnownKeys;
  readonly upcast: Upcast | undefined;
}

/**
 * The events of a page. What the thread could not decrypt is decrypted here, and the thread is given the
 * keys.
 * @throws LogUnavailable
 */
export async function openPage(page: Page, terms: PageTerms): Promise<StoredEvent[]> {
  const { keys, known } = terms;
  if (page.unknown === undefined || keys === null) return openLoaded(page, terms);
  const lost = await keys.loadAll(page.unknown);
  known.give(page.unknown);
  return openLoaded(page, terms, lost);
}

/**
 * The same, where the keys are cached.
 * @param lost keys that the store lacks
 */
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
