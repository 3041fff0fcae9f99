import { type Content, type RecordedSessionEvent, isEndType } from '#domain';
import type { HistoryMessage } from '#projections';

export type LoggedMessage = Pick<HistoryMessage, 'type' | 'pieces'>;

const ENDS = new Set([
  'agent_thinking_start',
  'agent_response_start',
  'agent_tool_use',
  'agent_steered',
  'agent_step',
]);

/**
 * The history of a session, from the sentence that promises it and not from the fold that makes it: of each block all that
 * stands on the log between its `_start` and the next `_start`, tool use, step or end of the same run, whatever others
 * wrote in between; a run's message at its start; nothing of before the last clear, or of the run that was under way then.
 */
export function historyOnLog(events: readonly RecordedSessionEvent[]): LoggedMessage[] {
  const cleared = events.findLastIndex(({ type }) => type === 'messages_cleared');
  const first = events.findIndex(({ type }, at) => at > cleared && type === 'agent_started');
  const shown = cleared < 0 ? events : first < 0 ? [] : events.slice(first);
  return shown.flatMap((event, at): LoggedMessage[] => {
    const run = event.meta.run ?? '';
    if (event.type === 'agent_started') return messageOf(run, events);
    if (event.type === 'agent_tool_use') return [{ type: event.type, pieces: [event.data.content] }];
    if (event.type === 'agent_steered') return [{ type: 'user_message', pieces: [event.data.content] }];
    if (event.type !== 'agent_thinking_start' && event.type !== 'agent_response_start') return [];
    const type = event.type === 'agent_thinking_start' ? 'agent_thinking' : 'agent_response';
    const pieces = piecesOf(type, run, shown.slice(at + 1));
    return pieces.length === 0 ? [] : [{ type, pieces }];
  });
}

function piecesOf(type: string, run: string, behind: readonly RecordedSessionEvent[]): Content[] {
  const pieces: Content[] = [];
  for (const event of behind) {
    if (event.meta.run !== run) continue;
    if (ENDS.has(event.type) || isEndType(event.type)) break;
    if (event.type === type && (event.type === 'agent_response' || event.type === 'agent_thinking'))
      pieces.push(event.data.content);
  }
  return pieces;
}

function messageOf(run: string, events: readonly RecordedSessionEvent[]): LoggedMessage[] {
  const own = events.filter(({ meta }) => meta.run === run);
  if (own.some((event) => event.type === 'run_claimed' && event.data.isCancelled)) return [];
  const request = own.find((event) => event.type === 'run_requested');
  return request?.type === 'run_requested' ? [{ type: 'user_message', pieces: [request.data.message] }] : [];
}
