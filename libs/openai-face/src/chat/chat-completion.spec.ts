import { expect, it } from '@jest/globals';
import { RUN as run, begun, faceOf } from '../../../../test/support/face-tape.js';
import {
  type SessionTape,
  completed,
  response,
  responseStart,
  thinking,
  thinkingStart,
  turn,
} from '../../../../test/support/session-tape.js';
import { completionOf } from './chat-completion.js';

const messageOf = (tape: SessionTape) => {
  const { face } = faceOf(tape.add(run, turn(), completed));
  return (completionOf(face.passages[0]!) as { choices: { message: object }[] }).choices[0]?.message;
};

it('a completion has null as its content where nothing was said', () => {
  expect(messageOf(begun(responseStart, response('hm')))).toMatchObject({ content: 'hm' });
  expect(messageOf(begun(thinkingStart, thinking('hm')))).toMatchObject({ content: null });
  expect(messageOf(begun(responseStart, response('')))).toMatchObject({ content: null });
  expect(messageOf(begun())).toMatchObject({ content: null });
});
