import { describe, expect, it } from '@jest/globals';
import { turn } from '../../../../test/support/session-tape.js';
import type { Draft } from '../draft.js';
import { StartedTasksFold } from './started-tasks.js';

const task = { id: 't1', poll_ms: 1_000, started_at: 0 };

function foldOf(...events: readonly Draft[]): StartedTasksFold {
  const fold = new StartedTasksFold();
  for (const event of events) fold.push(event);
  return fold;
}

describe('a task of a server', () => {
  it('is of the server that its event names, also where its call is of an earlier run', () => {
    const data = { call_id: 'c1', server: 'shop', server_index: 1, task };
    const fold = foldOf({ type: 'tool_task_started', data });
    expect(fold.of({ call_id: 'c1' })).toEqual({ server: 'shop', server_index: 1, task });
    expect(fold.of({ call_id: 'c2' })).toBeUndefined();
  });

  it('that names none is of the server of its call', () => {
    const said = turn('c1') as Extract<Draft, { type: 'model_turn_completed' }>;
    const tool_calls = said.data.tool_calls?.map((call) => ({ ...call, server: 'shop', tool: 't' })) ?? [];
    const fold = foldOf(
      { ...said, data: { ...said.data, tool_calls } },
      { type: 'tool_task_started', data: { call_id: 'c1', task } },
    );
    expect(fold.of({ call_id: 'c1' })).toEqual({ server: 'shop', task });
  });
});
