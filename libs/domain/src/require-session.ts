import { type ProjectId, isUnstoredRun } from './ids.js';
import { notFound } from './problem.js';
import type { SessionState } from './session-state.js';

/** @throws Problem not_found */
export function requireSession(state: SessionState, project: ProjectId): void {
  if (state.project !== project) throw notFound('the session');
}

/** Nothing else is to come to the session of a run that is not stored: it goes with that. @throws Problem not_found */
export function requireShared(state: SessionState): void {
  if (isOfUnstored(state)) throw notFound('the session');
}

/** Whether it is the session of a run that is not stored, which is erased when that has ended. */
export const isOfUnstored = ({ current, waiting, ended }: SessionState): boolean =>
  [...ended, ...waiting.map(({ run }) => run), ...(current === null ? [] : [current.run])].some(
    isUnstoredRun,
  );
