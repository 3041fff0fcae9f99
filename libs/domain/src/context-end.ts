import type { ContextMessage } from './context-message.js';

/** How a run stood when it ended, and which messages are what it said last: one that takes it up says it anew. */
export interface ContextEnd {
  readonly at: number;
  readonly said: number;
  readonly closedAt: number | null;
  readonly steeredSince: ContextMessage[];
}

export const NOTHING_ENDED: ContextEnd = { at: 0, said: 0, closedAt: null, steeredSince: [] };

/** The same where a message was put in at a place. */
export const movedBy = (end: ContextEnd, place: number): ContextEnd => ({
  ...end,
  at: end.at >= place ? end.at + 1 : end.at,
  closedAt: end.closedAt !== null && end.closedAt >= place ? end.closedAt + 1 : end.closedAt,
});
