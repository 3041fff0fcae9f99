import { useRef } from 'preact/hooks';
import { api } from './client.js';
import { type Polled, usePoll } from './polled.js';
import type { Page } from './types.js';

export interface List<T> extends Polled<readonly T[]> {
  /** null: there is no more. */
  readonly loadMore: (() => void) | null;
}

const PAGE = 50;

/** Reads as many items as were asked for, page by page. */
export async function readPages<T>(path: string, pages: number, signal?: AbortSignal): Promise<Read<T>> {
  const items: T[] = [];
  let cursor: string | null = null;
  for (let n = 0; n < pages; n++) {
    const url = new URL(path, window.location.origin);
    if (!url.searchParams.has('limit')) url.searchParams.set('limit', String(PAGE));
    if (cursor !== null) url.searchParams.set('cursor', cursor);
    const page: Page<T> = await api.get<Page<T>>(url.pathname + url.search, signal && { signal });
    items.push(...page.items);
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  return { items, hasMore: cursor !== null };
}

interface Read<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** A list of the service, newest first, refreshed as a whole; `loadMore` adds a page to what is read each time. */
export function useList<T>(
  path: string | null,
  { everyMs = 5000 }: { readonly everyMs?: number | null } = {},
): List<T> {
  const asked = useRef({ path, pages: 1 });
  if (asked.current.path !== path) asked.current = { path, pages: 1 };
  const polled = usePoll<Read<T>>(
    path,
    path === null ? null : (signal) => readPages<T>(path, asked.current.pages, signal),
    everyMs,
  );
  return {
    ...polled,
    data: polled.data?.items ?? null,
    loadMore:
      polled.data?.hasMore === true
        ? () => {
            asked.current.pages += 1;
            polled.refresh();
          }
        : null,
  };
}
