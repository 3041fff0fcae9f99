import type { Content } from '../content.js';
import type { Draft } from '../draft.js';
import type { ProjectId, Revision, SessionId } from '../ids.js';
import { Problem } from '../problem.js';
import { requireSession } from '../session-commands.js';
import type { SessionState } from '../session-state.js';

/** A session up to one of its events. */
export interface SessionMoment {
  readonly session: SessionId;
  readonly at: Revision;
}

/** What a fork has of its parent's own events, in figures: its texts stay where they are. */
export interface SharedPart {
  /** Messages of the history, one that was being written among them. */
  readonly messages: number;
  /** Revision of the event that holds the message whose beginning is the title; absent: there is none. */
  readonly title_at?: Revision;
  /** The parent's history goes on in what that was forked from: it is a fork itself, and was not cleared by then. */
  readonly goes_on?: true;
}

/** What `session_opened` says of a session that is a fork; of others it says nothing. */
export interface Fork {
  readonly forked_from: SessionMoment;
  /** Of what: 1 for a fork of a session that is none. */
  readonly depth: number;
  readonly shared: SharedPart;
  /** As whoever forked it called it. */
  readonly title?: Content;
}

/** Forks of forks: a line is read from its end, and each of its sessions by itself. */
export const MAX_FORK_DEPTH = 100;

/** What `session_opened` says; null: it is no fork. */
export const forkOf = (data: Partial<Fork>): Fork | null =>
  data.forked_from === undefined ? null : (data as Fork);

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
