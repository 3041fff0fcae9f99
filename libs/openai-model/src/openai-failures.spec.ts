import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  before,
  call,
  Gate,
  refusal,
  say,
  type ScriptedModel,
  type ScriptedTurn,
  startScriptedModel,
  thinking,
} from '../../../test/support/scripted-model.js';
import { ModelFailure, type ModelPiece, type ModelRequest } from '#agent';
import { OpenAiModelClient } from './openai-model-client.js';

const apiKey = 'sk-secret-0123456789';
let model: ScriptedModel;
let client: OpenAiModelClient;
/** Gives up soon: only for what it must give up on. */
let hasty: OpenAiModelClient;

beforeAll(async () => {
  model = await startScriptedModel();
  client = new OpenAiModelClient({ baseUrl: model.url, apiKey, timeoutMs: 1_000 });
  hasty = new OpenAiModelClient({ baseUrl: model.url, apiKey, timeoutMs: 150 });
});

afterAll(async () => {
  await client.close();
  await hasty.close();
  await model.close();
});

const request: ModelRequest = { model: 'm', messages: [{ role: 'user', content: 'hello' }], tools: [] };

/** What came before the end or the failure, and the failure. */
async function ask(turn: ScriptedTurn, signal = new AbortController().signal, asker = client) {
  // A reset may come before the head, and then it is asked again.
  model.script(() => turn);
  const pieces: ModelPiece[] = [];
  try {
    for await (const some of asker.stream(request, signal)) pieces.push(...some);
  } catch (failure) {
    return { pieces, failure: failure as ModelFailure };
  }
  return { pieces, failure: undefined };
}

async function failureOf(turn: ScriptedTurn, asker = client): Promise<ModelFailure> {
  const { failure, pieces } = await ask(turn, undefined, asker);
  expect(pieces.some((piece) => piece.kind === 'end')).toBe(false);
  expect(failure).toBeInstanceOf(ModelFailure);
  return failure!;
}

describe('a refusal of the model server', () => {
  it.each([429, 408, 409, 500, 502, 503, 529])('of status %i is transient', async (status) => {
    expect(await failureOf(refusal(status, 'later'))).toMatchObject({
      kind: 'transient',
      message: `the model server answered ${status}: later`,
      retryAfterMs: undefined,
    });
  });

  it.each([302, 400, 401, 403, 404, 413, 422])('of status %i is final', async (status) => {
    expect(await failureOf(refusal(status, 'no'))).toMatchObject({ kind: 'refused' });
  });

  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'soon' }, undefined],
  ])('says with %j how long to wait', async (headers, retryAfterMs) => {
    expect((await failureOf(refusal(429, 'slow down', { headers }))).retryAfterMs).toBe(retryAfterMs);
  });

  it('may give a date to wait for', async () => {
    const headers = { 'retry-after': new Date(Date.now() + 60_000).toUTCString() };
    const { retryAfterMs } = await failureOf(refusal(503, 'later', { headers }));
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  it.each([
    [400, 'nope', 'context_length_exceeded'],
    [400, "This model's maximum context length is 8192 tokens.", undefined],
    [413, 'Request too large for model: too many tokens', undefined],
    [422, 'prompt is too long: 250000 tokens > 200000 maximum', undefined],
  ])('%i "%s" (%s) is too long', async (status, message, code) => {
    expect(await failureOf(refusal(status, message, code === undefined ? {} : { code }))).toMatchObject({
      kind: 'too_long',
    });
  });

  it('about tokens a minute is no matter of length', async () => {
    expect(await failureOf(refusal(429, 'too many tokens per minute'))).toMatchObject({ kind: 'transient' });
  });

  it.each<[string, object | string]>([
    ['boom', { error: 'boom' }],
    ['boom', { message: 'boom' }],
    ['boom', { detail: 'boom' }],
    ['boom', 'boom'],
    ['no message', ''],
    ['<html><h1>boom</h1></html>', '<html><h1>boom</h1></html>'],
  ])('is shown as "%s" for the body %j', async (shown, body) => {
    expect((await failureOf({ kind: 'status', status: 500, body })).message).toBe(
      `the model server answered 500: ${shown}`,
    );
  });

  it('is shown without keys and addresses, in one line, and cut', async () => {
    const said =
      `Incorrect key ${apiKey}, also sk-ab***yz.\nAuthorization: Bearer abc.def\u0000, see https://keys.example/account?k=1 ` +
      'and more '.repeat(600);
    const { message } = await failureOf(refusal(401, said));
    expect(message).toMatch(
      /^the model server answered 401: Incorrect key \[key\], also \[key\]. Authorization: Bearer \[key\], see \[url\] and/,
    );
    expect(message.length).toBeGreaterThan(1_900);
    expect(message.length).toBeLessThanOrEqual(2_100);
  });
});

describe('a broken answer', () => {
  it('is never taken for a whole one, wherever it is cut', async () => {
    const turn = {
      steps: [...thinking('hm'), 'Hé ', '😀', ...call(0, 'id', 'f', { a: 1 })],
      usage: { input: 1, output: 2 },
    };
    const whole = await ask(turn);
    expect(whole.failure).toBeUndefined();
    let size = 0;
    let ends = 0;
    for (let cutAfterBytes = 1, isCut = true; isCut; cutAfterBytes++) {
      const { pieces, failure } = await ask({
        ...turn,
        cutAfterBytes,
        cutBy: cutAfterBytes % 2 ? 'fin' : 'rst',
      });
      isCut = model.requests.at(-1)?.outcome !== 'answered' && cutAfterBytes < 5000;
      size = cutAfterBytes;
      const isWhole = pieces.at(-1)?.kind === 'end';
      expect(isWhole).toBe(failure === undefined);
      if (!isWhole) {
        expect(failure).toMatchObject({ kind: 'transient' });
        expect(ends).toBe(0);
        continue;
      }
      ends++;
      expect(pieces.at(-1)).toMatchObject({
        finishReason: 'tool_calls',
        toolCalls: [{ id: 'id', arguments: '{"a":1}' }],
      });
    }
    expect(size).toBeGreaterThan(1000);
    expect(ends).toBeGreaterThan(20);
  });

  it.each<[string, ScriptedTurn]>([
    ['without a finish reason and [DONE]', { steps: ['x'], finishReason: null, done: false }],
    ['of nothing but [DONE]', { steps: [], finishReason: null, role: false, usage: null }],
    ['of no chunks', { steps: [], finishReason: null, role: false, done: false, usage: null }],
    ['with a broken chunk', say('x', { kind: 'data', json: '{"choices":[{"del' })],
    ['with a chunk that is no object', say('x', { kind: 'data', json: '42' })],
    [
      'that is a web page',
      { kind: 'status', status: 200, body: '<html>', headers: { 'content-type': 'text/html' } },
    ],
    ['that is no stream', { kind: 'status', status: 200, body: { choices: [] } }],
    [
      'that is broken JSON',
      { kind: 'status', status: 200, body: '{"a', headers: { 'content-type': 'application/json' } },
    ],
    ['with an error in it', say('x', { kind: 'error', error: { message: 'overloaded', code: 502 } })],
    ['with the finish reason error', { steps: ['x'], finishReason: 'error' }],
    ['with a reset', say('x', { kind: 'reset' })],
    ['with an early end', say('x', { kind: 'cut' })],
    ['of status 600', { kind: 'status', status: 600 }],
  ])('%s is a transient failure', async (_, turn) => expectTransient(await failureOf(turn)));

  it('that is reset before the headers is asked again at once, and a transient failure the second time', async () => {
    const asked = model.requests.length;
    model.script([{ kind: 'reset' }, { kind: 'reset' }]);
    const never = new AbortController().signal;
    await expect(client.stream(request, never).next()).rejects.toMatchObject({ kind: 'transient' });
    expect(model.requests.length).toBe(asked + 2);
  });

  it.each<[string, ScriptedTurn]>([
    ['that never begins', { kind: 'hang' }],
    ['that hangs behind its headers', { steps: [{ kind: 'hang' }], role: false }],
    ['that hangs before its first word', say({ kind: 'hang' })],
    ['that hangs in the middle', say('x', { kind: 'hang' })],
  ])('%s is a transient failure', async (_, turn) => expectTransient(await failureOf(turn, hasty)));

  const expectTransient = (failure: ModelFailure) => {
    expect(failure.kind).toBe('transient');
    expect(failure.message).toMatch(/^(the|a piece of the) (model server|connection|model)/);
    expect(failure.message).not.toContain('127.0.0.1');
  };

  it('tells the error that the stream held', async () => {
    expect((await failureOf(say({ kind: 'error', error: { message: `no ${apiKey}` } }))).message).toBe(
      'the model server broke off: no [key]',
    );
    const inJson = { kind: 'status', status: 200, body: { error: { message: 'quota' } } } as const;
    expect((await failureOf(inJson)).message).toBe('the model server broke off: quota');
    const tooLong = say({ kind: 'error', error: { message: 'x', code: 'context_length_exceeded' } });
    expect((await failureOf(tooLong)).kind).toBe('too_long');
  });

  it('is complete when it breaks after its finish reason', async () => {
    const finish = {
      kind: 'data',
      json: '{"choices":[{"index":0,"delta":{"content":"!"},"finish_reason":"stop"}]}',
    } as const;
    for (const after of [
      [{ kind: 'reset' }],
      [{ kind: 'cut' }],
      [{ kind: 'hang' }],
      [{ kind: 'error', error: 'x' }],
      [{ kind: 'data', json: '{' }],
    ] as const) {
      const { pieces, failure } = await ask(say('x', finish, ...after));
      expect(failure).toBeUndefined();
      expect(pieces.map((piece) => ('text' in piece ? piece.text : piece.kind)).join('')).toBe('x!end');
    }
  });

  it('is a failure when nobody listens', async () => {
    const nobody = new OpenAiModelClient({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: '' });
    const turn = nobody.stream(request, new AbortController().signal)[Symbol.asyncIterator]().next();
    await expect(turn).rejects.toMatchObject({
      kind: 'transient',
      message: 'the connection to the model server failed (ECONNREFUSED)',
    });
    await nobody.close();
  });
});

describe('a turn that is aborted', () => {
  const reason = new Error('cancelled');

  it('before it starts asks nothing', async () => {
    const asked = model.requests.length;
    expect((await ask(say('x'), AbortSignal.abort(reason))).failure).toBe(reason);
    expect(model.requests.length).toBe(asked);
  });

  it.each<[string, (gate: Gate) => ScriptedTurn]>([
    ['in the middle', (gate) => say('x', before(gate), 'y')],
    ['before the first word', (gate) => say(before(gate), 'y')],
  ])('%s ends at once, with the reason, and tells the server', async (_, turn) => {
    const gate = new Gate();
    const abort = new AbortController();
    const aborted = model.aborted;
    const asked = ask(turn(gate), abort.signal);
    await gate.reached;
    abort.abort(reason);
    expect((await asked).failure).toBe(reason);
    await model.until('the abort', () => model.aborted === aborted + 1);
  });

  it('while the server says nothing', async () => {
    const abort = new AbortController();
    const before = model.requests.length;
    const asked = ask({ kind: 'hang' }, abort.signal);
    await model.requested(before + 1);
    abort.abort(reason);
    expect((await asked).failure).toBe(reason);
    await model.until('the abort', () => model.concurrent === 0);
  });

  it('by a consumer who stops reading is cut off', async () => {
    model.script([say('x', { kind: 'hang' })]);
    const aborted = model.aborted;
    for await (const _ of client.stream(request, new AbortController().signal)) break;
    await model.until('the abort', () => model.aborted === aborted + 1);
  });
});
