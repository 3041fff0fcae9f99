import { forkOf } from '../fork/fork.js';
import type { RecordedSessionEvent } from '../session-events.js';
import { NO_OPEN_CALLS, type OpenCalls, openCallsBehind } from './open-calls.js';

/** The calls of a session that were given and have no result yet, behind an event: runs that wait their turn count. */
export function openCallsAfter(open: OpenCalls, event: RecordedSessionEvent): OpenCalls {
  const { type } = event;
  if (type === 'run_requested' || type === 'items_given') return openCallsBehind(open, event.data.items);
  // A state is read from its last claim on.
  if (type === 'run_claimed' && !event.isUnreadable) return event.data.openCalls ?? NO_OPEN_CALLS;
  if (type === 'session_opened') return forkOf(event.data)?.open_calls ?? NO_OPEN_CALLS;
  return type === 'messages_cleared' || type === 'session_erased' ? NO_OPEN_CALLS : open;
}
