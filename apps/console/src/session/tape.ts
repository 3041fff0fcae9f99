import { type LogEvent, logEvent } from './log-event.js';
import { Story } from './story.js';

/** For tests: the events of a log in short. @param steps ms since the event before, type, run, data */
export function logOf(
  ...steps: readonly (readonly [number, string, (string | undefined)?, object?])[]
): LogEvent[] {
  let time = 1_000_000;
  return steps.map(([ms, type, run, data = {}], revision) => {
    time += ms;
    const more = run === undefined ? {} : { run };
    const line = {
      revision,
      id: `id-${revision}`,
      type,
      time,
      schemaVersion: 1,
      commitment: '',
      prev: '',
      project: 'p',
      actor: 'key_1',
      ...more,
    };
    return logEvent({ ...line, text: JSON.stringify(data) });
  });
}

export function storyOf(events: readonly LogEvent[]): Story {
  const story = new Story();
  for (const event of events) story.push(event);
  return story;
}

const request = { message: 'hi', mode: 'base', model: 'm', config: {}, trigger: 'request', replica: 'a' };

/** A run that thinks, calls a tool, loses its driver, is taken over, answers and ends; then one that waits. */
export const twoRuns = (): LogEvent[] =>
  logOf(
    [0, 'session_opened'],
    [1, 'run_requested', 'r1', request],
    [4, 'run_claimed', 'r1', { worker: 'a', epoch: 1, requested: 1 }],
    [0, 'agent_started', 'r1'],
    [100, 'agent_thinking_start', 'r1'],
    [0, 'agent_thinking', 'r1', { content: 'I should look ' }],
    [10, 'agent_thinking', 'r1', { content: 'up the order' }],
    [
      500,
      'model_turn_completed',
      'r1',
      { finish_reason: 'tool_calls', tool_calls: [{ id: 'c1', name: 'look', arguments: '{}' }] },
    ],
    [0, 'agent_tool_use_start', 'r1'],
    [0, 'agent_tool_use', 'r1', { content: JSON.stringify({ tool: 'look', input: { order: '4711' } }) }],
    [11_000, 'run_claimed', 'r1', { worker: 'b', epoch: 2, requested: 1 }],
    [50, 'tool_call_completed', 'r1', { call_id: 'c1', content: 'outcome unknown: …', is_error: true }],
    [0, 'agent_step', 'r1', { step: '1' }],
    [900, 'agent_response_start', 'r1'],
    [0, 'agent_response', 'r1', { content: 'It ' }],
    [5, 'run_requested', 'r2', request],
    [5, 'agent_response', 'r1', { content: 'is here' }],
    [20, 'model_turn_completed', 'r1', { finish_reason: 'stop' }],
    [0, 'agent_step', 'r1', { step: '2' }],
    [0, 'agent_completed', 'r1'],
    [1, 'run_claimed', 'r2', { worker: 'b', epoch: 1, requested: 15 }],
    [0, 'agent_started', 'r2'],
    [
      10,
      'agent_action_required',
      'r2',
      {
        action_id: 'x',
        kind: 'approval',
        content: '{"tool":"pay","input":{"a":1}}',
        expires_at: '2026-01-01T00:00:00.000Z',
      },
    ],
    [0, 'run_parked', 'r2'],
    [
      60_000,
      'agent_action_resolved',
      'r2',
      { action_id: 'x', decision: 'approve', actor: 'key_2', content: '{}' },
    ],
    [5, 'run_claimed', 'r2', { worker: 'b', epoch: 2, requested: 15 }],
    [10, 'agent_completed', 'r2'],
  );
