import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, say } from '../support/scripted-turn.js';
import type { ServiceClient } from '../support/service-client.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

let stage: Stage;
let client: ServiceClient;
beforeAll(async () => {
  stage = await Stage.open();
  client = stage.client;
});
afterAll(() => stage.close());

interface Made {
  readonly id: string;
  readonly status: string;
}
const ask = async (body: object): Promise<Made> => (await client.post('/v1/responses', body)).json<Made>();
const toldOf = (message: string) =>
  (stage.book.lastAsk(message)?.messages ?? []).slice(1).map(({ content }) => content);
const partsOf = async (path: string) =>
  (await client.get(`${path}?order=asc`))
    .json<{ data: { id: string; content: object[] }[] }>()
    .data.flatMap(({ content }) => content);
const textsOf = async (path: string) => (await partsOf(path)).map((part) => (part as { text: string }).text);

/** So many characters 40 times are more than an event holds. */
const PAGE = 4_000;

describe('what a request brings', () => {
  it('is one system message where it is one, however many parts it has and wherever they lie', async () => {
    const message = stage.book.on(stage.message('parts'), say('ok'));
    const part = (text: string) => ({ type: 'input_text', text });
    // Both do not fit into an event.
    const [longer, long] = ['x'.repeat(100_000), 'y'.repeat(99_000)];
    const input = [
      { role: 'system', content: [part('a'), part('b')] },
      { role: 'assistant', content: [part('c'), part(longer), part('d')] },
      { role: 'developer', content: [part('e'), part(long), part('f')] },
      { role: 'user', content: message },
    ];
    const { id } = await ask({ input });
    const contents = ['ab', `c${longer}d`, `e${long}f`, message];
    expect(toldOf(message)).toEqual(contents);
    expect(await partsOf(`/v1/responses/${id}/input_items`)).toHaveLength(9);
  });

  it('may be a long talk with long calls: the model is told all of it, and lists and histories show it', async () => {
    const message = stage.book.on(stage.message('calls'), say('ok'));
    const argumentsOf = (n: number) => JSON.stringify({ n, page: 'p'.repeat(PAGE) });
    const calls = Array.from({ length: 40 }, (_, n) => [
      { type: 'function_call', call_id: `c${n}`, name: 'write_file', arguments: argumentsOf(n) },
      { type: 'function_call_output', call_id: `c${n}`, output: 'written' },
    ]).flat();
    const { id } = await ask({ input: [...calls, { role: 'user', content: message }] });
    const told = stage.book.lastAsk(message)?.messages ?? [];
    const made = told.flatMap((each) => ('tool_calls' in each ? (each.tool_calls ?? []) : []));
    const written = Array.from({ length: 40 }, (_, n) => argumentsOf(n));
    expect(made.map((call) => (call as { function: { arguments: string } }).function.arguments)).toEqual(
      written,
    );
    const listed = (await client.get(`/v1/responses/${id}/input_items?order=asc&limit=100`)).json<{
      data: { type: string; arguments?: string }[];
    }>();
    expect(listed.data.flatMap((item) => item.arguments ?? [])).toEqual(written);
    const session = id.replace(/^resp_([^_]+)_.*$/, 'ses_$1');
    const history = (await client.post(`/get-messages?session=${session}`, {})).json<
      { type: string; content: string }[]
    >();
    const uses = history.filter(({ type }) => type === 'agent_tool_use');
    expect(uses.map(({ content }) => content)).toEqual(
      written.map((text) => `{"tool":"write_file","input":${text}}`),
    );
    const context = (await client.get(`/sessions/${session}/context`)).json<{
      messages: { tool_calls?: { function: { arguments: string } }[] }[];
    }>();
    expect(
      context.messages.flatMap(({ tool_calls: each = [] }) => each.map((call) => call.function.arguments)),
    ).toEqual(written);
  });

  it('is listed as it was given, a refusal as one', async () => {
    const message = stage.book.on(stage.message('refusal'), say('ok'));
    const content = [{ type: 'refusal', refusal: 'no' }];
    const { id } = await ask({
      input: [
        { role: 'assistant', content },
        { role: 'user', content: message },
      ],
    });
    expect((await partsOf(`/v1/responses/${id}/input_items`))[0]).toEqual(content[0]);
    expect(toldOf(message)).toEqual(['no', message]);
  });
});

describe('a conversation', () => {
  it('lists what steered a run where it was heard', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('steered'), say('one', { kind: 'gate', gate }));
    const faster = stage.book.on(stage.message('faster'), say('two'));
    const { id } = await ask({ input: message, background: true, stream: false });
    await until(() => stage.book.lastAsk(message) !== undefined);
    const session = id.replace(/^resp_([^_]+)_.*$/, 'ses_$1');
    await client.post(`/?session=${session}`, { message: faster, on_busy: 'steer', background: true });
    gate.open();
    await until(async () => (await client.get(`/v1/responses/${id}`)).json<Made>().status === 'completed');
    const list = `/v1/conversations/${session.replace('ses', 'conv')}/items`;
    expect(await textsOf(list)).toEqual([message, 'one', faster, 'two']);
    expect(await textsOf(`/v1/responses/${id}/input_items`)).toEqual([message, faster]);
    const next = stage.book.on(stage.message('next'), say('ok'));
    await ask({ input: next, previous_response_id: id });
    expect(toldOf(next)).toEqual([message, 'one', faster, 'two', next]);
  });

  it('has nothing of a run that was cancelled in the queue', async () => {
    const { id: conversation } = (await client.post('/v1/conversations', {})).json<Made>();
    const gate = new Gate();
    const first = stage.book.on(stage.message('first'), say({ kind: 'gate', gate }, 'one'));
    await ask({ input: first, conversation, background: true });
    const queued = await ask({ input: 'never', conversation, background: true });
    await client.post(`/v1/responses/${queued.id}/cancel`);
    gate.open();
    const next = stage.book.on(stage.message('next'), say('ok'));
    const { id } = await ask({ input: next, conversation });
    expect(toldOf(next)).toEqual([first, 'one', next]);
    expect(await textsOf(`/v1/conversations/${conversation}/items`)).toEqual([first, 'one', next, 'ok']);
    expect(await textsOf(`/v1/responses/${id}/input_items`)).toEqual([first, 'one', next]);
    const ofQueued = await textsOf(`/v1/responses/${queued.id}/input_items`);
    expect(ofQueued.at(-1)).toBe('never');
  });
});
