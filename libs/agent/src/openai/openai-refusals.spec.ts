import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type RecordedRequest,
  refusal,
  say,
  type ScriptedModel,
  type ScriptedTurn,
  startScriptedModel,
} from '../../../../test/support/scripted-model.js';
import type { ModelRequest } from '../model-client.js';
import { OpenAiModelClient } from './openai-model-client.js';

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

const user = (content: string) => ({ role: 'user' as const, content });
const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'm',
  messages: [{ role: 'system', content: 's' }, user('a'), user('b')],
  tools: [],
  reasoningEffort: 'medium',
  ...more,
});

/** Asks so many times, of one server that refuses; what it was asked. */
async function asked(
  times: number,
  refuses: (body: RecordedRequest['body']) => ScriptedTurn | null,
  of = request(),
) {
  const before = model.requests.length;
  model.script((body) => refuses(body) ?? say('ok'));
  const client = new OpenAiModelClient({ baseUrl: model.url, apiKey: '' });
  try {
    for (let n = 0; n < times; n++)
      for await (const pieces of client.stream(of, new AbortController().signal))
        expect(pieces).toBeDefined();
  } finally {
    await client.close();
  }
  return model.requests.slice(before).map(({ body }) => body);
}

describe('a parameter that the server refuses', () => {
  it.each([
    [400, 'There is no argument reasoning_effort for this model.'],
    [422, 'Extra inputs are not permitted: reasoning_effort'],
    [400, '"llama3" does not support thinking'],
    [500, 'Jinja Exception: reasoning_effort error : medium, should be no_think/low/high'],
  ])('is left out, and from then on: %i %s', async (status, words) => {
    const bodies = await asked(2, (body) => ('reasoning_effort' in body ? refusal(status, words) : null));
    expect(bodies.map((body) => 'reasoning_effort' in body)).toEqual([true, false, false]);
  });

  it('is left out one after the other', async () => {
    const bodies = await asked(1, (body) => {
      if ('stream_options' in body) return refusal(400, 'unknown field stream_options');
      return 'reasoning_effort' in body ? refusal(400, 'unknown field reasoning_effort') : null;
    });
    expect(bodies.length).toBe(3);
  });

  it.each([
    [400, 'bad request'],
    [401, 'no access to reasoning_effort'],
    [404, 'no such model'],
  ])('is not what %i "%s" is about: asked once', async (status, words) => {
    const before = model.requests.length;
    await expect(asked(1, () => refusal(status, words))).rejects.toMatchObject({ kind: 'refused' });
    expect(model.requests.length).toBe(before + 1);
  });
});

describe('the order of messages that the server refuses', () => {
  it.each([
    [400, 'user and assistant have to take turns after the system message.'],
    [500, 'Conversation roles must alternate user/assistant/user/assistant/...'],
    [400, 'found multiple "user" roles in a row'],
    [400, "Unexpected role 'user' after role 'tool'"],
  ])('is the strict one from then on: %i %s', async (status, words) => {
    const bodies = await asked(2, (body) =>
      body.messages.some((one, at) => one.role === body.messages[at + 1]?.role)
        ? refusal(status, words)
        : null,
    );
    const told = bodies.map((body) => body.messages.map(({ role }) => role).join());
    const strict = 'system,user,assistant,user';
    expect(told).toEqual(['system,user,user', strict, strict]);
    expect(bodies[1]?.messages[2]?.content).toBe('(no answer)');
  });
});
