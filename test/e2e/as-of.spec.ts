import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, before, call, say } from '../support/scripted-model.js';
import type { Message } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage.close());

interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
}

const routes: readonly (readonly [method: string, path: (session: string) => string])[] = [
  ['POST', (session) => `/get-messages?session=${session}`],
  ['GET', (session) => `/sessions/${session}`],
  ['GET', (session) => `/sessions/${session}/context`],
];
const withAt = (path: string, at: string): string => `${path}${path.includes('?') ? '&' : '?'}at=${at}`;

const history = async (session: string, at: string): Promise<readonly Message[]> =>
  (await stage.client.post(`/get-messages?session=${session}&at=${at}`)).json<Message[]>();
const record = async (session: string, at?: string) =>
  (await stage.client.get(`/sessions/${session}${at === undefined ? '' : `?at=${at}`}`)).json();
const context = async (session: string, at?: string): Promise<readonly ChatMessage[]> => {
  const answer = await stage.client.get(`/sessions/${session}/context${at === undefined ? '' : `?at=${at}`}`);
  return answer.json<{ messages: ChatMessage[] }>().messages;
};
const eventsOf = async (session: string): Promise<readonly { id: string; data: { type: string } }[]> => {
  const answer = await stage.client.get(`/sessions/${session}/events?limit=200`, {
    headers: { accept: 'application/json' },
  });
  return answer.json<{ items: { id: string; data: { type: string } }[] }>().items;
};

describe('a session as of an event', () => {
  it('is what it was there, at every event of a run under way', async () => {
    const gate = new Gate();
    const message = stage.book.on(
      stage.message('under way'),
      say('Looking', ...call(0, 'c1', 'lookup', { q: 1 })),
      say('Done', before(gate), '.'),
    );
    const stream = await stage.client.run({ message, streaming_tokens: true });
    const { session } = stream;
    await gate.reached;
    const half = await context(session);
    const live = await stage.client.history(session);
    const lastSeen = (await eventsOf(session)).at(-1)!.id;
    expect((await history(session, lastSeen)).length).toBeLessThanOrEqual(live.length);
    gate.open();
    await stream.closed();
    const closed = [
      { role: 'user', content: message },
      {
        role: 'assistant',
        content: 'Looking',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{"q":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: expect.any(String) },
    ];
    expect(half).toEqual(closed);
    expect(await context(session)).toEqual([...closed, { role: 'assistant', content: 'Done.' }]);
    for (const { id, data } of await eventsOf(session)) {
      const told = await context(session, id);
      // Of a turn nothing is told before it is closed.
      expect(told.filter(({ role }) => role === 'tool').length).toBe(
        told.filter(({ role, content }) => role === 'assistant' && content === 'Looking').length,
      );
      if (data.type === 'agent_started') expect(told).toEqual(closed.slice(0, 1));
      expect((await record(session, id))['message_count']).toBe((await history(session, id)).length);
    }
    const last = (await eventsOf(session)).at(-1)!.id;
    expect(await history(session, last)).toEqual(await stage.client.history(session));
    expect(await record(session, last)).toEqual(await record(session));
    expect(await context(session, last)).toEqual(await context(session));
  });

  it('knows nothing of a clear that came later', async () => {
    const message = stage.book.on(stage.message('cleared'), say('Answer'));
    const { session, cost } = await stage.client.runToEnd(message);
    const last = (await eventsOf(session)).at(-1)!.id;
    const before = await record(session);
    await stage.client.post(`/clear-messages?session=${session}`);
    const cleared = String(Number(last) + 1);
    expect(await stage.client.history(session)).toEqual([]);
    expect(await context(session)).toEqual([]);
    expect(await history(session, cleared)).toEqual([]);
    expect(await record(session, cleared)).toMatchObject({ title: null, message_count: 0, cost });
    expect(await history(session, last)).toEqual([
      { type: 'user_message', content: message },
      { type: 'agent_response', content: 'Answer' },
    ]);
    expect(await record(session, last)).toEqual(before);
    expect(await context(session, last)).toEqual([
      { role: 'user', content: message },
      { role: 'assistant', content: 'Answer' },
    ]);
    expect(await record(session, '0')).toMatchObject({ message_count: 0, last_status: null, cost: '0' });
  });

  it('takes the id of any event that is there, in digits', async () => {
    const message = stage.book.on(stage.message('ids'), say('Answer'));
    const { session } = await stage.client.runToEnd(message);
    const last = Number((await eventsOf(session)).at(-1)!.id);
    const answers = async (path: string, method: string) => (await stage.client.call(method, path)).status;
    for (const [method, path] of routes) {
      for (let at = 0; at <= last; at++)
        expect([at, await answers(withAt(path(session), String(at)), method)]).toEqual([at, 200]);
      for (const bad of ['-1', '1.5', '1e3', '', 'last', '0x1', '%201', '+1', '1&at=2', 'null', '%00'])
        expect([bad, await answers(withAt(path(session), bad), method)]).toEqual([bad, 400]);
      for (const beyond of [last + 1, Number.MAX_SAFE_INTEGER, '9'.repeat(16), '9'.repeat(400)])
        expect([beyond, await answers(withAt(path(session), String(beyond)), method)]).toEqual([beyond, 422]);
      expect(await answers(withAt(path('ses_nobodys'), '0'), method)).toBe(404);
      expect(await answers(withAt(path('ses_nobodys'), 'x'), method)).toBe(400);
    }
    expect(await answers(`/clear-messages?session=${session}&at=0`, 'POST')).toBe(400);
  });

  it("is nobody else's, and gone when it is erased", async () => {
    const message = stage.book.on(stage.message('erased'), say('Answer'));
    const { session } = await stage.client.runToEnd(message);
    const made = await stage.client.post('/api-keys', { name: 'x', scopes: ['read'], project: 'another' });
    const foreign = stage.client.with(made.json<{ key: string }>().key);
    const runs = await stage.client.post('/api-keys', { name: 'y', scopes: ['run'] });
    const runner = stage.client.with(runs.json<{ key: string }>().key);
    for (const [method, path] of routes) {
      expect((await foreign.call(method, withAt(path(session), '0'))).status).toBe(404);
      expect((await runner.call(method, withAt(path(session), '0'))).status).toBe(403);
    }
    expect((await stage.client.call('DELETE', `/sessions/${session}`)).status).toBe(200);
    for (const [method, path] of routes)
      for (const at of ['0', '3', '99999'])
        expect((await stage.client.call(method, withAt(path(session), at))).status).toBe(404);
    expect((await stage.client.get(`/sessions/${session}/context`)).status).toBe(404);
  });
});
