import { forkOf } from '../fork/fork.js';
import type { RecordedSessionEvent, WaitingRun } from '../session-events.js';
import { NO_OPEN_CALLS, type OpenCalls, openCallsBehind } from './open-calls.js';

interface Before {
  readonly openCalls: OpenCalls;
  readonly waiting: readonly WaitingRun[];
}

/** The calls of a session that were given and have no result yet, behind an event: what runs bring that wait their turn counts. */
export function openCallsAfter({ openCalls: open, waiting }: Before, event: RecordedSessionEvent): OpenCalls {
  const { type } = event;
  if (type === 'run_requested' || type === 'items_given') return openCallsBehind(open, event.data.items);
  // A state is read from its last claim on.
  if (type === 'run_claimed' && !event.isUnreadable) return event.data.openCalls ?? NO_OPEN_CALLS;
  if (type === 'run_cancel_requested') {
    // No model is told what it has brought.
    const cancelled = waiting.find(({ run, isCancelled }) => run === event.meta.run && !isCancelled);
    return cancelled?.answers === undefined ? open : [...open, ...cancelled.answers];
  }
  if (type === 'session_opened') return forkOf(event.data)?.open_calls ?? NO_OPEN_CALLS;
  return type === 'messages_cleared' || type === 'session_erased' ? NO_OPEN_CALLS : open;
}
