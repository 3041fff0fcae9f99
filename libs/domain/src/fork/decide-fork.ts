import type { Draft } from '../draft.js';
import type { ProjectId, Revision, SessionId } from '../ids.js';
import { Problem } from '../problem.js';
import { requireSession, requireShared } from '../require-session.js';
import type { SessionState } from '../session-state.js';
import type { Fork } from './fork.js';

/** Forks of forks: a line is read from its end, and each of its sessions by itself. */
export const MAX_FORK_DEPTH = 100;

/**
 * The parent's part of a fork, which comes first: so the parent knows all of its forks, and nothing is forked from a session
 * that is erased. @param last revision of the parent's last event @throws Problem not_found, unprocessable
 */
export function decideFork(
  state: SessionState,
  project: ProjectId,
  { session, at }: { readonly session: SessionId; readonly at: Revision },
  last: Revision,
): readonly Draft[] {
  requireSession(state, project);
  requireShared(state);
  requireMoment(at, last);
  return [{ type: 'session_forked', data: { session, at } }];
}

/** @throws Problem unprocessable: the session has no such event yet */
export function requireMoment(at: Revision, last: Revision): void {
  if (at > last) throw new Problem('unprocessable', `at: the last event of the session is ${last}`);
}

/** @throws Problem unprocessable: the parent is as deep as can be */
export function depthOfFork(parent: Fork | null): number {
  const depth = (parent?.depth ?? 0) + 1;
  if (depth <= MAX_FORK_DEPTH) return depth;
  throw new Problem('unprocessable', `a fork may be the ${MAX_FORK_DEPTH}th of its line, and no more`);
}
