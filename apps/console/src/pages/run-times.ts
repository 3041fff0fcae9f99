import type { RunView } from '../api/types.js';

type Times = Pick<RunView, 'status' | 'created_at' | 'started_at' | 'ended_at'>;

const HAS_ENDED: ReadonlySet<RunView['status']> = new Set(['completed', 'failed', 'cancelled']);

/** Whether it can be cancelled. */
export const isUnderWay = ({ status }: Pick<RunView, 'status'>): boolean => !HAS_ENDED.has(status);

/** Milliseconds until it was begun with, or until now while it is queued. null: it ended unbegun. */
export function waitedMs({ status, created_at, started_at }: Times, now: number): number | null {
  if (started_at === null && HAS_ENDED.has(status)) return null;
  return between(created_at, started_at, now);
}

/** Milliseconds from its beginning until its model said something. null: it has said nothing. */
export const firstTokenMs = ({
  started_at: begun,
  first_token_at: said,
}: Pick<RunView, 'started_at' | 'first_token_at'>): number | null =>
  begun === null || said === null ? null : Math.max(0, Date.parse(said) - Date.parse(begun));

/** Milliseconds from its beginning to its end, or to now while it goes on. null: it has not begun. */
export const tookMs = ({ started_at, ended_at }: Times, now: number): number | null =>
  started_at === null ? null : between(started_at, ended_at, now);

/** Another clock than the browser's wrote the times: never less than nothing. */
const between = (from: string, to: string | null, now: number): number =>
  Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from));
