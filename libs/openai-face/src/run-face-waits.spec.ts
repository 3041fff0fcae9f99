import { describe, expect, it } from '@jest/globals';
import { actionId } from '#domain';
import { RUN as run, begun, faceOf, shown, typesOf } from '../../../test/support/face-tape.js';
import {
  cancelled,
  completed,
  result,
  toolUse,
  toolUseStart,
  turn,
} from '../../../test/support/session-tape.js';
import { askingTurn, asks, parked, resolves } from '../../../test/support/waiting-tape.js';
import { approvalRequestId } from './ids.js';

const uses = [toolUseStart, toolUse('{"tool":"t","input":{}}')];

describe('a run that waits', () => {
  const waiting = () =>
    begun(
      askingTurn({ c1: undefined, c2: 'approval', c3: 'caller' }),
      ...uses,
      ...uses,
      ...uses,
      asks(run, 0),
      asks(run, 1, 'tool'),
    );

  it('goes on until all that needs nobody is done', () => {
    expect(shown(faceOf(waiting()).face).status).toBe('in_progress');
    const { face, streams } = faceOf(waiting().add(run, result('c1', 'r'), parked));
    expect(shown(face)).toMatchObject({
      status: 'completed',
      output: [
        { id: 'mcp_1_6', output: 'r' },
        { id: 'fc_1_10', call_id: 'call_1_10', name: 't', arguments: '{}' },
        { id: approvalRequestId(actionId(run, 0)), type: 'mcp_approval_request', name: 't' },
      ],
    });
    expect(typesOf(streams[0]).at(-1)).toBe('completed');
  });

  it('has a passage for each decision that leaves others open, with what was decided as given', () => {
    const tape = waiting().add(
      run,
      result('c1', 'r'),
      parked,
      resolves(run, 1, 'answer'),
      result('c3', '21'),
      parked,
    );
    tape.add(run, resolves(run, 0, 'approve', '{"input":{"n":2}}'));
    tape.add(run, { type: 'run_claimed', data: { worker: 'w', epoch: 2, requested: 1 } });
    const { face, streams } = faceOf(tape.add(run, result('c2', 'ok'), turn(), completed));
    expect(face.passages.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    expect(face.passages[1]?.given).toEqual([
      {
        id: 'fco_1_15',
        type: 'function_call_output',
        status: 'completed',
        call_id: 'call_1_10',
        output: '21',
      },
    ]);
    expect(face.passages[2]?.given).toMatchObject([{ id: 'mcpa_1_18', approve: true, reason: null }]);
    expect(shown(face, 3)).toMatchObject({
      id: 'resp_1_a_3',
      previous_response_id: 'resp_1_a_2',
      output: [
        {
          id: 'mcp_1_18',
          arguments: '{"n":2}',
          output: 'ok',
          approval_request_id: approvalRequestId(actionId(run, 0)),
        },
      ],
    });
    expect(typesOf(streams[1])).toEqual(['created', 'in_progress', 'completed']);
    expect(streams[2]?.[0]?.sequence_number).toBe(0);
  });

  it('stays completed when its run is cancelled', () => {
    const tape = waiting().add(run, result('c1', 'r'), parked, cancelled);
    expect(faceOf(tape).face.passages.map(({ status }) => status)).toEqual(['completed']);
  });

  it('shows no item of a call that was denied', () => {
    const tape = begun(askingTurn({ c2: 'approval' }), ...uses, asks(run, 0), parked);
    tape.add(run, resolves(run, 0, 'deny', '{"reason":"no"}'), result('c2', 'denied'), turn(), completed);
    const { face } = faceOf(tape);
    expect(face.passages[1]).toMatchObject({ output: [] });
    expect(face.passages[1]?.given).toMatchObject([{ approve: false, reason: 'no' }]);
  });
});
