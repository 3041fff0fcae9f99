import { afterEach, describe, expect, it } from '@jest/globals';
import { textOf } from '#demo-model';
import {
  before,
  call,
  Gate,
  refusal,
  say,
  type Script,
  type ScriptedModel,
  startScriptedModel,
} from './scripted-model.js';

let model: ScriptedModel;

afterEach(() => model.close());

const post = (content = 'hello', more: object = {}) =>
  fetch(`${model.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer k' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], stream: true, ...more }),
  });

const start = async (script?: Script) => {
  model = await startScriptedModel(script);
};

describe('the scripted model', () => {
  it('plays a queue of turns and says when it has run out', async () => {
    await start([say('one'), refusal(429, 'later', { headers: { 'retry-after': '3' } })]);
    const text = await (await post()).text();
    expect(text).toContain('"delta":{"content":"one"}');
    expect(text).toMatch(/"finish_reason":"stop"[^]*data: \[DONE\]\n\n$/);
    const second = await post();
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '3']);
    expect(await second.json()).toMatchObject({ error: { message: 'later' } });
    const third = await post();
    expect(third.status).toBe(400);
    expect(await third.json()).toMatchObject({ error: { message: 'the script of 2 turns has run out' } });
  });

  it('asks a function for each turn and records what was asked', async () => {
    await start((request, n) => say(`${n}: ${textOf(request.messages[0])}`));
    await post('a');
    expect(await (await post('b')).text()).toContain('"content":"1: b"');
    await model.until('the answers', () => model.requests.every(({ outcome }) => outcome === 'answered'));
    expect(model.requests.map(({ body }) => body.messages[0]?.content)).toEqual(['a', 'b']);
    expect(model.requests[0]?.headers.authorization).toBe('Bearer k');
  });

  it('waits at a gate, and counts who waits and who gave up', async () => {
    const gate = new Gate();
    await start(() => say('x', before(gate), 'y'));
    const abort = new AbortController();
    const answers = [post(), post(), fetchAborted(abort.signal)];
    await model.requested(3);
    await gate.reached;
    expect([model.concurrent, model.maxConcurrent, model.aborted]).toEqual([3, 3, 0]);
    abort.abort();
    await model.until('one abort', () => model.aborted === 1);
    gate.open();
    const texts = await Promise.all(answers.map(async (answer) => (await answer)?.text()));
    expect(texts.map((text) => text?.includes('"y"'))).toEqual([true, true, undefined]);
    expect([model.concurrent, model.maxConcurrent]).toEqual([0, 3]);
  });

  const fetchAborted = (signal: AbortSignal) =>
    fetch(`${model.url}/chat/completions`, {
      method: 'POST',
      signal,
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true }),
    })
      .then((response) => response.text())
      .then(
        () => undefined,
        () => undefined,
      );

  it('loses the connection where the script says so', async () => {
    await start([{ kind: 'reset' }, { steps: ['abc'], cutAfterBytes: 20 }, say('x', { kind: 'reset' })]);
    await expect(post()).rejects.toThrow();
    await expect(post().then((response) => response.text())).rejects.toThrow();
    await expect(post().then((response) => response.text())).rejects.toThrow();
    await model.until('the losses', () => model.requests.every(({ outcome }) => outcome === 'lost'));
  });

  it('refuses a history that a real server would refuse', async () => {
    await start();
    const asked = call(0, 'i', 'f');
    expect(asked.length).toBe(2);
    const toolCalls = [{ id: 'i', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const assistant = { role: 'assistant', content: null, tool_calls: toolCalls };
    const tool = { role: 'tool', tool_call_id: 'i', content: 'r' };
    const user = { role: 'user', content: 'u' };
    const status = async (...messages: object[]) => (await post('', { messages })).status;
    expect(await status(user, assistant, tool, user)).toBe(200);
    expect(await status(user, assistant, user)).toBe(400);
    expect(await status(user, tool)).toBe(400);
    expect(await status(user, assistant)).toBe(400);
  });

  it('answers as the demo model does when it has no script', async () => {
    await start();
    expect(await (await post('What is 6 x 7?')).text()).toContain('"content":" 42."');
  });

  it('can be started again on its port', async () => {
    await start();
    const { url } = model;
    await model.close();
    model = await startScriptedModel([say('again')], Number(new URL(url).port));
    expect(model.url).toBe(url);
    expect(await (await post()).text()).toContain('again');
  });
});
