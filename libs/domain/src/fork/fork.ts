import type { Content } from '../content.js';
import type { OpenCalls } from '../given/open-calls.js';
import type { Revision, SessionId } from '../ids.js';

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
  /** The parent was cleared by then: not all of its own events count. */
  readonly cleared?: true;
}

/** What `session_opened` says of a session that is a fork; of others it says nothing. */
export interface Fork {
  readonly forked_from: SessionMoment;
  /** Of what: 1 for a fork of a session that is none. */
  readonly depth: number;
  readonly shared: SharedPart;
  /** Calls that were given by then and have no result yet; absent: none. */
  readonly open_calls?: OpenCalls;
  /** As whoever forked it called it. */
  readonly title?: Content;
}

/** What `session_opened` says; null: it is no fork. */
export const forkOf = (data: Partial<Fork>): Fork | null =>
  data.forked_from === undefined ? null : (data as Fork);
