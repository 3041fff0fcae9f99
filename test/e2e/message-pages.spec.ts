import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, before, call, say, thinking } from '../support/scripted-model.js';
import type { Page } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

interface Item {
  readonly id: string;
  readonly type: string;
  readonly content: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly output?: string;
  readonly run_id: string;
  readonly created_at: string;
}

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage.close());

const pageOf = async (session: string, query: string): Promise<Page<Item>> => {
  const answer = await stage.client.get(`/sessions/${session}/messages?${query}`);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json<Page<Item>>();
};

const allOf = (session: string, limit: number): Promise<Item[]> =>
  stage.client.all<Item>(`/sessions/${session}/messages`, limit);

/** A run with thinking, two calls of one tool that is not there, and one of another. */
async function runWithTools(session?: string) {
  const message = stage.book.on(
    stage.message('tools'),
    say(
      ...thinking('hm'),
      'Let me look.',
      ...call(0, 'c0', 'look', { n: 0 }),
      ...call(1, 'c1', 'look', { n: 1 }),
      ...call(2, 'c2', 'other', {}),
    ),
    say('Nothing', ' there.'),
  );
  return stage.client.runToEnd({ message, mode: 'flash' }, session === undefined ? {} : { session });
}

describe('GET /sessions/{session}/messages', () => {
  it('tells the history with what each tool was given and answered, and of which run and event it is', async () => {
    const run = await runWithTools();
    const { items, next_cursor } = await pageOf(run.session, '');
    expect(next_cursor).toBeNull();
    expect(items.map(({ type, content }) => ({ type, content }))).toEqual(run.messages);
    expect(items.map(({ type }) => type)).toEqual([
      'user_message',
      'agent_thinking',
      'agent_response',
      ...Array.from({ length: 3 }, () => 'agent_tool_use'),
      'agent_response',
    ]);
    const stream = await (await stage.client.follow(`/runs/${run.run_id}`)).closed();
    const responses = stream.records
      .filter(({ event }) => event.type === 'agent_tool_response')
      .map(({ event }) => JSON.parse(event.content ?? '') as { tool: string; content: string });
    expect(items.slice(3, 6).map(({ tool, input, output }) => ({ tool, input, output }))).toEqual([
      { tool: 'look', input: { n: 0 }, output: responses[0]?.content },
      { tool: 'look', input: { n: 1 }, output: responses[1]?.content },
      { tool: 'other', input: {}, output: responses[2]?.content },
    ]);
    for (const item of items) {
      expect(item.run_id).toBe(run.run_id);
      expect(new Date(item.created_at).toISOString()).toBe(item.created_at);
      const event = stream.records.find(({ id }) => String(id) === item.id)?.event.type;
      const begins = { user_message: 'agent_started', agent_tool_use: 'agent_tool_use' }[item.type];
      expect(event).toBe(begins ?? `${item.type}_start`);
    }
  });

  it('is the same in pages of any size, over runs', async () => {
    const { session } = await runWithTools();
    await runWithTools(session);
    const last = await runWithTools(session);
    const whole = await allOf(session, 200);
    expect(whole.map(({ type, content }) => ({ type, content }))).toEqual(last.messages);
    expect(whole.filter(({ output }) => output !== undefined)).toHaveLength(9);
    for (const limit of [1, 2, 3, 4, 5, 7, 20, 21]) expect(await allOf(session, limit)).toEqual(whole);
  });

  it('begins behind a clear, also for whoever was in the middle', async () => {
    const { session } = await runWithTools();
    const { next_cursor } = await pageOf(session, 'limit=2');
    await stage.client.post(`/clear-messages?session=${session}`);
    expect(await allOf(session, 1)).toEqual([]);
    expect((await pageOf(session, `cursor=${next_cursor}`)).items).toEqual([]);
    const { run_id, messages } = await runWithTools(session);
    const items = await allOf(session, 2);
    expect(items.map(({ type, content }) => ({ type, content }))).toEqual(messages);
    expect(new Set(items.map((item) => item.run_id))).toEqual(new Set([run_id]));
    expect((await pageOf(session, `cursor=${next_cursor}`)).items).toEqual(items);
  });

  it('shows what is being written so far, and long messages', async () => {
    const gate = new Gate();
    const long = 'x'.repeat(700_000);
    const message = stage.book.on(`${stage.message('long')} ${long}`, say(long, before(gate), '!'));
    const stream = await stage.client.run({ message, streaming_tokens: true });
    await stream.until(({ event }) => event.content?.startsWith('xxx') === true);
    const contents = (await allOf(stream.session, 200)).map(({ content }) => content.length);
    expect(contents[0]).toBe(message.length);
    expect(contents[1]).toBeGreaterThan(0);
    gate.open();
    await stream.closed();
    expect((await allOf(stream.session, 200)).map(({ content }) => content)).toEqual([message, `${long}!`]);
  });

  it('refuses what is no cursor, and knows no session of others', async () => {
    const { session } = await stage.client.runToEnd(stage.message('one'));
    for (const query of ['cursor=x', 'cursor=5.3', 'cursor=-2.3', 'limit=0', 'limit=201', 'at=3'])
      expect([query, (await stage.client.get(`/sessions/${session}/messages?${query}`)).status]).toEqual([
        query,
        400,
      ]);
    for (const other of ['ses_none', '%00', 'x'])
      expect((await stage.client.get(`/sessions/${other}/messages`)).status).toBe(404);
    await stage.client.call('DELETE', `/sessions/${session}`);
    expect((await stage.client.get(`/sessions/${session}/messages`)).status).toBe(404);
  });
});
