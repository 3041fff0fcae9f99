import type { Marks } from '../world/marks.js';
import type { SessionLog, SessionRecord } from './evidence.js';

/** Counts what a world's sessions went through. */
export function countMarks(sessions: readonly SessionLog[], marks: Marks): void {
  for (const { events } of sessions)
    for (const event of events) for (const mark of marksOf(event)) marks.hit(mark);
}

function* marksOf(event: SessionRecord): Iterable<string> {
  if ('content' in event.data && typeof event.data.content === 'object') yield 'content in a file';
  switch (event.type) {
    case 'run_claimed':
      if (event.data.epoch > 1) yield 'taken over';
      if (event.data.epoch > 2) yield 'taken over twice';
      if (event.data.isCancelled) yield 'cancelled while it waited';
      if (event.data.waiting) yield 'claimed while others wait';
      return;
    case 'run_requested':
      if (event.data.interrupts) yield 'interrupt';
      return;
    case 'agent_error':
      return yield `failed: ${event.data.code}`;
    case 'agent_compacted':
      yield event.data.content === '' ? 'left out' : 'summed up';
      return;
    case 'agent_completed':
    case 'agent_cancelled':
    case 'messages_cleared':
    case 'run_refused':
    case 'model_turn_failed':
    case 'agent_tool_response':
      return yield event.type;
    default:
  }
}
