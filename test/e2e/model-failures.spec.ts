import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ScriptedTurn, call, refusal, say } from '../support/scripted-model.js';
import type { PublicJson } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
/** One whose runs may take three steps and two seconds. */
let hasty: Stage;
beforeAll(async () => {
  stage = await Stage.open();
  hasty = await Stage.open({ env: { MAX_STEPS: '3', RUN_TIMEOUT_S: '2' } });
});
afterAll(async () => {
  await stage.close();
  await hasty.close();
});

/** Fails each time; a failure that is asked again takes seconds, so the tests of them run at the same time. */
const always = (turn: ScriptedTurn) => (): ScriptedTurn => turn;
const once =
  (turn: ScriptedTurn, then: ScriptedTurn) =>
  (attempt: number): ScriptedTurn =>
    attempt === 0 ? turn : then;

async function endOf(message: string, on = stage): Promise<{ lines: string[]; end: PublicJson | undefined }> {
  const stream = await (await on.client.run({ message, streaming_tokens: true })).closed();
  return { lines: stream.lines, end: stream.records.at(-1)?.event };
}

const MOMENTARY: readonly (readonly [string, ScriptedTurn])[] = [
  ['429', refusal(429, 'slow down', { headers: { 'retry-after-ms': '5' } })],
  ['500', refusal(500, 'oops')],
  ['408', refusal(408, 'late')],
  ['a reset', { kind: 'reset' }],
  ['an error in the stream', say('some ', { kind: 'error', error: { message: 'overloaded' } })],
  ['a stream that is cut', say('some ', { kind: 'cut' })],
  ['a stream that is reset', say('some ', { kind: 'reset' })],
  ['nonsense', say('some ', { kind: 'data', json: '{"choices":' })],
  ['HTML', { kind: 'status', status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }],
];

describe('a model that fails', () => {
  it('for a moment is asked again, and the run completes', async () => {
    const all = MOMENTARY.map(async ([name, turn]) => {
      const message = stage.book.on(`moment ${name}`, once(turn, say('Here I am.')));
      const { lines } = await endOf(message);
      return { name, asks: stage.book.asksOf(message, 0), end: lines.slice(-4), lines };
    });
    for (const { name, asks, end, lines } of await Promise.all(all)) {
      expect([name, asks]).toEqual([name, 2]);
      expect(end).toEqual(['agent_response Here I am.', 'agent_step 1', 'agent_cost 0', 'agent_completed']);
      expect(lines.filter((line) => line.startsWith('agent_step'))).toHaveLength(1);
    }
  });

  it('each time is given up as retryable, and says nothing of its address and key', async () => {
    const message = stage.book.on(
      'fails',
      always(refusal(500, 'oops at http://10.0.0.7/x with sk-abcdef123456')),
    );
    const stream = await (await stage.client.run(message)).closed();
    expect(stage.book.asksOf(message, 0)).toBe(3);
    expect(stream.records.at(-1)?.event).toMatchObject({
      type: 'agent_error',
      code: 'model_unavailable',
      retryable: true,
    });
    expect(JSON.stringify(stream.records)).not.toMatch(/10\.0\.0\.7|sk-abcdef/);
  });
});

describe('a model that refuses', () => {
  it.each<[string, ScriptedTurn, string]>([
    ['400', refusal(400, 'bad request'), 'model_unavailable'],
    ['401', refusal(401, 'wrong key'), 'model_unavailable'],
    ['404', refusal(404, 'no such model'), 'model_unavailable'],
    [
      'a context that is too long',
      refusal(400, 'too long', { code: 'context_length_exceeded' }),
      'context_too_long',
    ],
  ])('with %s ends the run with a code that is not retryable', async (name, turn, code) => {
    const message = stage.book.on(stage.message(`refuses ${name}`), always(turn));
    const { lines, end } = await endOf(message);
    expect(lines.at(-2)).toBe('agent_cost 0');
    expect(end).toMatchObject({ type: 'agent_error', code, retryable: false });
    // Of a first message nothing can be left out.
    expect(stage.book.asksOf(message, 0)).toBe(1);
  });

  it('is told as JSON with status 200', async () => {
    const message = stage.book.on(stage.message('refuses in JSON'), always(refusal(400, 'no')));
    const answer = await stage.client.runToEnd(message);
    expect(answer).toMatchObject({
      status: 'failed',
      error: { code: 'model_unavailable', retryable: false },
    });
  });
});

describe('a run', () => {
  it('ends with max_steps when the model never comes to an end', async () => {
    const message = hasty.message('steps');
    hasty.book.on(message, ...Array.from({ length: 9 }, (_, n) => say(...call(0, `c${n}`, 'again'))));
    const { lines, end } = await endOf(message, hasty);
    expect(lines.filter((line) => line.startsWith('agent_step'))).toHaveLength(3);
    expect(end).toMatchObject({ type: 'agent_error', code: 'max_steps' });
  });

  it('ends with timeout when its time is over, and keeps what it said', async () => {
    const message = hasty.book.on(hasty.message('slow'), say('I will ', { kind: 'hang' }));
    const { lines, end } = await endOf(message, hasty);
    expect(lines).toContain('agent_response I will ');
    expect(end).toMatchObject({ type: 'agent_error', code: 'timeout', retryable: true });
  });
});
