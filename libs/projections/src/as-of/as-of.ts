import {
  ContextFold,
  type ContextMessage,
  type RecordedSessionEvent,
  type Revision,
  type SessionId,
  type TokenScale,
  type WhatIsLeftOut,
} from '#domain/browser';
import { type FoldedMessage, HistoryMessages } from './history-messages.js';
import { SessionRecordFold, type SessionSummary } from './session-record.js';

/** A session at one of its events, as if nothing had happened after it. */
export interface SessionAsOf {
  /** The history, in the order of the conversation. */
  readonly messages: readonly FoldedMessage[];
  /** null: there was no event yet. */
  readonly summary: SessionSummary | null;
  /** What a run that starts there is told, without the system message. */
  readonly context: readonly ContextMessage[];
  /** What stands on the log and is not told there any more; null: nothing. A summary of it is told first. */
  readonly leftOut: WhatIsLeftOut | null;
  /** How many tokens that is, as each model counted last. */
  readonly scale: TokenScale;
}

/**
 * What a session was at its event `at`, by the folds that the answers of now are made of. Takes its events in order, from the
 * first on; those behind `at` are passed over. @param inherited of a fork: what its line holds before its own events
 */
export function asOf(
  session: SessionId,
  events: Iterable<RecordedSessionEvent>,
  at: Revision = Infinity,
  inherited: Iterable<RecordedSessionEvent> = [],
): SessionAsOf {
  const history = new HistoryMessages();
  const record = new SessionRecordFold(session);
  const context = new ContextFold();
  for (const event of inherited) {
    history.push(event);
    context.push(event);
  }
  for (const event of events) {
    if (event.revision > at) break;
    history.push(event);
    record.push(event);
    context.push(event);
  }
  const { leftOut, scale } = context;
  return {
    messages: history.finish(),
    summary: record.finish(),
    context: context.settled(),
    leftOut,
    scale,
  };
}
