import { api } from '../api/client.js';
import type { LogLine, Page } from '../api/types.js';

/** Pages of a run's log that are looked through. */
const MAX_PAGES = 20;

export const logPath = (session: string): string => `/sessions/${encodeURIComponent(session)}/log`;

/** An event as it stands, its text whole. */
export interface WholeEvent extends LogLine {
  /** What was said in it; null: it has none. */
  readonly content: string | null;
}

/** The lines of a run's log from its beginning, without their texts. */
export async function* runLines(
  { session, run }: { readonly session: string; readonly run: string },
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  let cursor: string | null = null;
  for (let n = 0; n < MAX_PAGES; n += 1) {
    const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `${logPath(session)}?run=${encodeURIComponent(run)}&limit=200&inline=0${more}`;
    const page: Page<{ readonly data: LogLine }> = await api.get(path, { signal });
    for (const { data } of page.items) yield data;
    cursor = page.next_cursor;
    if (cursor === null) return;
  }
}
