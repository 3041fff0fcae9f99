import type { Connection } from './connection.js';
import type { Action, ActionPage } from './types.js';

export interface ActionsOptions {
  readonly session?: string;
  readonly run?: string;
  readonly kind?: Action['kind'];
  readonly status?: Action['status'];
  readonly signal?: AbortSignal | undefined;
}

/** Page by page, newest first. @throws AnnalsRefused, AnnalsUnreachable; the signal's reason */
export async function* listActions(
  connection: Connection,
  { signal, ...narrow }: ActionsOptions,
): AsyncGenerator<Action, void, undefined> {
  const query = new URLSearchParams(Object.entries(narrow).filter(([, value]) => value !== undefined));
  for (;;) {
    const page = await connection.json<ActionPage>('GET', `/actions?${query}`, { signal });
    yield* page.items;
    if (page.next_cursor === null) return;
    query.set('cursor', page.next_cursor);
  }
}
