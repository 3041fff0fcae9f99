import type { Position, RecordedEvent, Revision } from './envelope.js';
import type { ReadOptions } from './event-log.js';

/** Default limit of reads. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export interface PageRequest {
  /** Exclusive, in the direction of reading; undefined: from the start (backwards: the end). */
  readonly after: Revision | undefined;
  readonly backwards: boolean;
  readonly limit: number;
  /**
   * A revision that this read has already returned (backwards the highest), or -1: the next page must not be
   * staler.
   */
  readonly seen: Revision;
}

/** Reads a stream page by page until an empty page. */
export async function* streamPages(
  { after, backwards = false, limit = NO_LIMIT }: ReadOptions,
  read: (page: PageRequest) => Promise<readonly RecordedEvent[]>,
): AsyncIterable<readonly RecordedEvent[]> {
  let seen = -1;
  for (let [place, left] = [after, limit]; left > 0;) {
    if (backwards && place === 0) return;
    const page = await read({ after: place, backwards, limit: left, seen });
    if (page.length === 0) return;
    seen = Math.max(seen, page[0]!.revision);
    yield page;
    left -= page.length;
    place = page.at(-1)!.revision;
  }
}

/** The same over the whole log. */
export async function* logPages<
  B extends { readonly events: readonly unknown[]; readonly position: Position },
>(
  { after = 0, limit = NO_LIMIT }: { after?: Position; limit?: number },
  read: (after: Position, limit: number) => Promise<B>,
): AsyncIterable<B> {
  for (let [place, left] = [after, limit]; left > 0;) {
    const batch = await read(place, left);
    if (batch.events.length === 0) return;
    yield batch;
    left -= batch.events.length;
    place = batch.position;
  }
}
