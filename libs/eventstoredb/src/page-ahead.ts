import type { Clock } from '#platform';
import type { Position, Batch } from '#event-log';

export interface ReadPage {
  readonly batch: Batch;
  /** Whether the server had no more. */
  readonly isEnd: boolean;
}

type Read = (after: Position, prefixes: readonly string[]) => Promise<ReadPage>;

/** Readers that are served at once, and how long a page waits for its reader. */
const MAX_AHEAD = 4;
const KEPT_MS = 5_000;

/**
 * Read-ahead: fetches the next page while the reader handles the last one. Owns the prefetched pages.
 * 1. A prefetched page is given once, to the reader that asks for the page after the one before it; a failed one is read again.
 * 2. At most MAX_AHEAD pages are kept, none longer than KEPT_MS.
 */
export class PageAhead {
  private readonly pages = new Map<string, { page: Promise<ReadPage | null>; forget(): void }>();

  constructor(
    private readonly readPage: Read,
    private readonly clock: Clock,
  ) {}

  async read(after: Position, prefixes: readonly string[]): Promise<ReadPage> {
    const key = keyOf(after, prefixes);
    const ahead = this.pages.get(key);
    ahead?.forget();
    const page = (await ahead?.page) ?? (await this.readPage(after, prefixes));
    if (!page.isEnd) this.prepare(page.batch.position, prefixes);
    return page;
  }

  close(): void {
    for (const ahead of this.pages.values()) ahead.forget();
  }

  private prepare(after: Position, prefixes: readonly string[]): void {
    const key = keyOf(after, prefixes);
    if (this.pages.size >= MAX_AHEAD || this.pages.has(key)) return;
    const page = this.readPage(after, prefixes).catch(() => null);
    const cancel = this.clock.timer(KEPT_MS, () => this.pages.delete(key));
    this.pages.set(key, { page, forget: () => (cancel(), void this.pages.delete(key)) });
  }
}

const keyOf = (after: Position, prefixes: readonly string[]): string => `${after} ${prefixes.join(' ')}`;
