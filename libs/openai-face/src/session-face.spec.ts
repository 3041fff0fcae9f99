import { expect, it } from '@jest/globals';
import type { Draft } from '#domain';
import { RUN as run, begun } from '../../../test/support/face-tape.js';
import {
  type SessionTape,
  cancelRequested,
  cancelled,
  completed,
  requested,
  response,
  responseStart,
  turn,
} from '../../../test/support/session-tape.js';
import { askingTurn, asks, parked, resolves } from '../../../test/support/waiting-tape.js';
import { SessionFace } from './session-face.js';

const steers = (content: string): Draft => ({
  type: 'run_steered',
  data: { id: `run_ses_1_${content}`, content, actor: 'k' },
});
const steered = (content: string): Draft => ({ type: 'agent_steered', data: { content } });
const saying = (text: string): readonly Draft[] => [responseStart, response(text)];

function faceOf({ events }: SessionTape): SessionFace {
  const face = new SessionFace();
  for (const event of events) face.push(event, 'ses_1');
  return face;
}
const textsOf = (items: ReturnType<SessionFace['items']>): string[] =>
  items.map((item) => ('content' in item ? (item.content as { text: string }[])[0]!.text : item.type));

it('a message that steers a run is an item where it was heard, and of what its response was given', () => {
  const tape = begun(
    steers('left'),
    ...saying('one'),
    turn(),
    steered('left'),
    ...saying('two'),
    turn(),
    completed,
  );
  const face = faceOf(tape);
  expect(textsOf(face.items())).toEqual(['hi', 'one', 'left', 'two']);
  expect(face.items()[2]).toMatchObject({ id: 'msg_1_8_0', role: 'user', type: 'message' });
  const [passage] = face.run(run)!.passages;
  expect(textsOf(face.before(passage!))).toEqual(['hi', 'left']);
  expect(passage?.output).toHaveLength(2);
});

it('one that came with decisions is the item that was given, and no other', () => {
  const said = (text: string) =>
    ({ kind: 'message', role: 'user', parts: [{ kind: 'text', text }] }) as const;
  const tape = begun(steers('early'), askingTurn({ c1: 'caller' }), asks(run, 0, 'tool'), parked);
  tape.add(
    run,
    { type: 'response_requested', data: { settings: '{}', items: [said('beside')] } },
    resolves(run, 0, 'answer'),
    steers('beside'),
    steers('late'),
    steered('early'),
    steered('beside'),
    steered('late'),
  );
  expect(textsOf(faceOf(tape).items())).toEqual(['hi', 'beside', 'early', 'late']);
});

it('a run that was cancelled in the queue leaves nothing but what it was given itself', () => {
  const queued = 'run_ses_1_q';
  const tape = begun(...saying('one')).add(queued, requested('never'), cancelRequested);
  const before = faceOf(tape);
  expect(textsOf(before.items())).toEqual(['hi', 'one']);
  tape
    .add(run, turn(), completed)
    .add(
      queued,
      { type: 'run_claimed', data: { worker: 'w', epoch: 1, requested: 6, isCancelled: true } },
      { type: 'agent_started', data: {} },
      cancelled,
    );
  const face = faceOf(tape);
  expect(textsOf(face.items())).toEqual(['hi', 'one']);
  expect(textsOf(face.before(face.run(queued)!.passages[0]!))).toEqual(['hi', 'one', 'never']);
});
