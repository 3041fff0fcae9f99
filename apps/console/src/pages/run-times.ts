import type { RunView } from '../api/types.js';
import { msBetween } from '../parts/format.js';

type Times = Pick<RunView, 'status' | 'created_at' | 'started_at' | 'ended_at'>;

const HAS_ENDED: ReadonlySet<RunView['status']> = new Set(['completed', 'failed', 'cancelled']);

/** Whether it can be cancelled. */
export const isUnderWay = ({ status }: Pick<RunView, 'status'>): boolean => !HAS_ENDED.has(status);

/** Milliseconds until it was begun with, or until now while it is queued. null: it ended unbegun. */
export function waitedMs({ status, created_at, started_at }: Times, now: number): number | null {
  if (started_at === null && HAS_ENDED.has(status)) return null;
  return msBetween(created_at, started_at ?? now);
}

/** Milliseconds from its beginning until its model said something. null: it has said nothing. */
export const firstTokenMs = (run: Pick<RunView, 'started_at' | 'first_token_at'>): number | null =>
  msBetween(run.started_at, run.first_token_at);

/** Milliseconds from its beginning to its end, or to now while it goes on. null: it has not begun. */
export const tookMs = ({ started_at, ended_at }: Times, now: number): number | null =>
  msBetween(started_at, ended_at ?? now);
