import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { Gate, call, say } from '../support/scripted-turn.js';
import type { ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

let stage: Stage;
let client: ServiceClient;
let openai: OpenAI;
beforeAll(async () => {
  stage = await Stage.open();
  client = stage.client;
  openai = new OpenAI({ baseURL: `${stage.service.origin}/v1`, apiKey: ADMIN_KEY, maxRetries: 0 });
});
afterAll(() => stage.close());

const input = (name: string, ...said: string[]) => stage.book.on(stage.message(name), say(...said));
const sessionOf = (id: string) => `ses_${id.split('_')[1]}`;
const isGone = async (id: string) => (await client.get(`/sessions/${sessionOf(id)}`)).status === 404;

describe('a request that is repeated', () => {
  it('is answered by the run that it started, where the client says so or has a key', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('again'), say({ kind: 'gate', gate }, 'once'));
    const body = { input: message, background: true };
    const first = await client.post('/v1/responses', body);
    const again = { headers: { 'x-stainless-retry-count': '1' } };
    const second = await client.post('/v1/responses', { background: true, input: message }, again);
    const { id } = first.json<{ id: string }>();
    expect(second.json()).toMatchObject({ id });
    expect((await client.post('/v1/responses', body)).json<{ id: string }>().id).not.toBe(id);
    gate.open();
    const keyed = { headers: { 'idempotency-key': 'a key' } };
    const ids = new Set<string>();
    for (const _ of [1, 2]) {
      const answer = await client.post('/v1/responses', { input: message }, keyed);
      ids.add(answer.json<{ id: string }>().id);
    }
    expect(ids.size).toBe(1);
    const { id: talk } = await openai.conversations.create();
    const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }];
    const waits = stage.book.on(stage.message('waits'), say(...call(0, 'c', 'f', {})));
    const asks = { input: waits, tools, conversation: talk };
    const keyedToo = { headers: { 'idempotency-key': 'another' } };
    const asked = await client.post('/v1/responses', asks, keyedToo);
    expect((await client.post('/v1/responses', asks, keyedToo)).text.trim()).toBe(asked.text.trim());
    const mismatch = await client.post('/v1/responses', { input: 'other' }, keyed);
    expect(mismatch.json()).toMatchObject({ error: { code: 'idempotency_mismatch' } });
  });

  it.each([true, false])('is asked for anew where what it started is gone, streamed: %s', async (stream) => {
    const again = { headers: { 'x-stainless-retry-count': '1' } };
    const idOf = (text: string) => /"id":"(resp_\w+)"/.exec(text)?.[1] ?? '';
    const unstored = { input: input('unstored', 'here'), store: false, stream };
    const first = idOf((await client.post('/v1/responses', unstored)).text);
    await until(() => isGone(first));
    const anew = await client.post('/v1/responses', unstored, again);
    expect(idOf(anew.text)).not.toBe(first);
    expect(anew.text).toContain('here');
    const body = { input: input('deleted', 'there'), stream };
    const headers = { 'idempotency-key': `deleted ${stream}` };
    const deleted = idOf((await client.post('/v1/responses', body, { headers })).text);
    await openai.responses.create({ input: 'behind', previous_response_id: deleted });
    await client.call('DELETE', `/v1/responses/${deleted}`);
    const other = await client.post('/v1/responses', body, again);
    expect(idOf(other.text)).not.toBe(deleted);
    expect(other.text).toContain('there');
    expect((await client.post('/v1/responses', body, { headers })).status).toBe(404);
  });

  it.each(['nothing', 'conversation', 'previous_response_id'])(
    'is answered by what it has decided, behind %s',
    async (base) => {
      const headers = { 'idempotency-key': `decides behind ${base}` };
      const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }];
      const message = {
        role: 'user',
        content: stage.book.on(stage.message('w'), say(...call(0, 'c', 'f', {})), say('ok')),
      };
      const { id: talk } = await openai.conversations.create();
      const from = base === 'conversation' ? { conversation: talk } : {};
      const asked = await client.post('/v1/responses', { input: [message], tools, ...from });
      const first = asked.json<{ id: string; output: { call_id: string }[] }>();
      const output = { type: 'function_call_output', call_id: first.output[0]?.call_id, output: '1' };
      const body = {
        nothing: { input: [message, ...first.output, output] },
        conversation: { input: [output], conversation: talk },
        previous_response_id: { input: [output], previous_response_id: first.id },
      }[base];
      const decided = await client.post('/v1/responses', { ...body, tools }, { headers });
      expect(decided.json()).toMatchObject({ id: first.id.replace(/_1$/, '_2') });
      for (const again of [{ headers }, { headers: { 'x-stainless-retry-count': '1' } }])
        expect((await client.post('/v1/responses', { ...body, tools }, again)).text).toBe(decided.text);
      for (const other of [{ ...body, tools, temperature: 0.5 }, { input: 'other' }]) {
        const mismatch = await client.post('/v1/responses', other, { headers });
        expect([mismatch.status, mismatch.json()]).toMatchObject([
          422,
          { error: { code: 'idempotency_mismatch' } },
        ]);
      }
      const started = { headers: { 'idempotency-key': `starts beside ${base}` } };
      await client.post('/v1/responses', { input: 'other' }, started);
      expect((await client.post('/v1/responses', { ...body, tools }, started)).status).toBe(422);
    },
  );
});
