import { describe, expect, it } from '@jest/globals';
import type { Draft, RunConfig } from '#domain';
import {
  SessionTape,
  attemptOf,
  cancelRequested,
  cancelled,
  completed,
  opened,
  response,
  responseStart,
  result,
  stepTurn,
  thinking,
  thinkingStart,
  toolUse,
  toolUseStart,
  turn,
  turnFailed,
} from '../../../test/support/session-tape.js';
import { askingStepTurn, asks, parked, resolves } from '../../../test/support/waiting-tape.js';
import { RUN as run, begun, faceOf, shown, typesOf } from '../../../test/support/face-tape.js';

const used: Draft = toolUse('{"tool":"t","input":{}}');
const uses = [toolUseStart, used];

const withConfig = (tape: SessionTape, config: RunConfig): SessionTape => {
  for (const [at, event] of tape.events.entries())
    if (event.type === 'run_requested') tape.events[at] = { ...event, data: { ...event.data, config } };
  return tape;
};

describe('a run that somebody asked for in another way', () => {
  const { face, streams } = faceOf(
    begun(thinkingStart, thinking('hm'), responseStart, response('Hel'), response('lo'), turn(), completed),
  );

  it('has one stream, whose records are counted from 0', () => {
    expect(typesOf(streams[0])).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(streams[0]?.map((event) => event.sequence_number)).toEqual(
      Array.from({ length: 16 }, (_, n) => n),
    );
    expect(Object.keys(streams[0]![10]!)).toEqual([
      'type',
      'sequence_number',
      'item_id',
      'output_index',
      'content_index',
      'delta',
      'logprobs',
    ]);
  });

  it('is a response with what it was given and all that it said', () => {
    expect(face.passages[0]?.given).toEqual([
      {
        id: 'msg_1_1_0',
        type: 'message',
        status: 'completed',
        role: 'user',
        content: [{ type: 'input_text', text: 'hi' }],
      },
    ]);
    expect(shown(face)).toMatchObject({
      id: 'resp_1_a_1',
      created_at: 1,
      completed_at: 1,
      status: 'completed',
      model: 'base',
      output: [
        { id: 'rs_1_4', type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
        { id: 'msg_1_6', status: 'completed', content: [{ text: 'Hello' }] },
      ],
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      text: { format: { type: 'text' } },
    });
    expect(streams[0]?.[15]).toEqual({
      type: 'response.completed',
      sequence_number: 15,
      response: shown(face),
    });
  });
});

describe('what a turn said that is taken again', () => {
  const broken = begun(responseStart, response('Hel'), turnFailed);

  it('is incomplete, and leaves the output when it is said anew', () => {
    expect(shown(faceOf(broken).face).output).toMatchObject([{ status: 'incomplete' }]);
    const { face, streams } = faceOf(broken.add(run, responseStart, response('Hello'), turn(), completed));
    expect(shown(face).output).toMatchObject([{ id: 'msg_1_7', content: [{ text: 'Hello' }] }]);
    const added = streams[0]?.filter(({ type }) => type === 'response.output_item.added');
    expect(added?.map((event) => (event as unknown as { output_index: number }).output_index)).toEqual([
      0, 1,
    ]);
  });

  it('stays where the run ends before that', () => {
    const { face } = faceOf(begun(responseStart, response('Hel'), turnFailed, cancelled));
    expect(shown(face)).toMatchObject({
      status: 'cancelled',
      incomplete_details: null,
      output: [{ status: 'incomplete' }],
    });
  });
});

it('a run that is cut at its length is incomplete, and so is its last item', () => {
  const cut = turn() as Extract<Draft, { type: 'model_turn_completed' }>;
  const { face, streams } = faceOf(
    begun(
      responseStart,
      response('Hel'),
      { ...cut, data: { ...cut.data, finish_reason: 'length' } },
      completed,
    ),
  );
  expect(shown(face)).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ status: 'incomplete' }],
  });
  expect(typesOf(streams[0]).at(-1)).toBe('incomplete');
});

it('a run that was cancelled in the queue is cancelled at once', () => {
  const tape = new SessionTape().add(undefined, opened).add(run, {
    type: 'run_requested',
    data: { message: 'x', mode: 'base', model: 'm', config: {}, trigger: 'request', replica: 'r' },
  });
  expect(shown(faceOf(tape).face).status).toBe('queued');
  expect(shown(faceOf(tape.add(run, cancelRequested)).face).status).toBe('cancelled');
});

it('with a final output what is said in turns is no message', () => {
  const tape = withConfig(
    begun(responseStart, response('thinking aloud'), turn(), {
      type: 'agent_final_output',
      data: { name: 'n', content: '{"a":1}' },
    }),
    { final_output: { name: 'n', schema: {} } },
  );
  expect(shown(faceOf(tape.add(run, completed)).face)).toMatchObject({
    output: [{ type: 'reasoning' }, { type: 'message', content: [{ text: '{"a":1}' }] }],
    text: { format: { type: 'json_schema', name: 'n', description: null, schema: {}, strict: null } },
  });
});

describe('calls', () => {
  it('that need nobody are shown with what came of them', () => {
    const { face, streams } = faceOf(begun(turn('c1'), ...uses, result('c1', 'done'), turn(), completed));
    expect(shown(face).output).toEqual([
      {
        id: 'mcp_1_6',
        type: 'mcp_call',
        status: 'completed',
        server_label: 'annals',
        name: 't',
        arguments: '{}',
        output: 'done',
        error: null,
        approval_request_id: null,
      },
    ]);
    expect(typesOf(streams[0]).slice(2, -1)).toEqual([
      'output_item.added',
      'mcp_call.in_progress',
      'mcp_call_arguments.delta',
      'mcp_call_arguments.done',
      'mcp_call.completed',
      'output_item.done',
    ]);
  });

  it('that were under way when the run ended are incomplete', () => {
    const { face } = faceOf(begun(turn('c1'), ...uses, cancelled));
    expect(shown(face).output).toMatchObject([{ status: 'incomplete', output: null }]);
  });

  it('of workflow steps are not shown, nor does a question about one end the passage', () => {
    const step = attemptOf('s');
    const tape = begun(
      turn('w1'),
      ...uses,
      askingStepTurn(step, { c9: 'approval' }),
      ...uses,
      asks(run, 0),
      parked,
    );
    const { face } = faceOf(tape);
    expect(shown(face)).toMatchObject({ status: 'in_progress', output: [{ id: 'mcp_1_6' }] });
    tape.add(run, resolves(run, 0), stepTurn(step, ''));
    expect(faceOf(tape).face.passages).toHaveLength(1);
  });
});
