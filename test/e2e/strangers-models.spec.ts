import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChatRequest } from '#demo-model';
import { CallbackReceiver } from '../support/callback-receiver.js';
import { McpFixture, text } from '../support/mcp-servers/mcp-fixture.js';
import {
  Gate,
  type ScriptStep,
  type ScriptedTurn,
  before,
  call,
  delay,
  say,
} from '../support/scripted-model.js';
import { Search, filesWith } from '../support/search-bytes.js';
import type { RunBody } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

const fixture = (name: string): string => readFileSync(`test/fixtures/model-answers/${name}`, 'utf8');
const json = <T>(name: string): T => JSON.parse(fixture(name)) as T;

interface Refusal {
  readonly status: number;
  readonly body: object;
}

const EVENTS = { 'content-type': 'text/event-stream' };
const answer = (name: string): ScriptedTurn => ({
  kind: 'status',
  status: 200,
  body: fixture(name),
  headers: EVENTS,
});
const refused = ({ status, body }: Refusal): ScriptedTurn => ({ kind: 'status', status, body });
/** The events of an answer, each for itself, with what stands between the first and the others. */
const inPieces = (name: string, ...between: ScriptStep[]): ScriptedTurn => {
  const [first = '', ...rest] = fixture(name)
    .split(/(?<=\n\n)/)
    .map((bytes): ScriptStep => ({ kind: 'raw', bytes }));
  const steps = [first, ...between, ...rest];
  return { steps, role: false, finishReason: null, usage: null, done: false };
};

type Message = ChatRequest['messages'][number];
const callsIn = ({ messages }: ChatRequest) => messages.flatMap((one: Message) => one.tool_calls ?? []);
const hasResult = ({ messages }: ChatRequest) => messages.some(({ role }) => role === 'tool');

let stage: Stage;
let tools: McpFixture;
beforeAll(async () => {
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  const run = ({ args }: { args: Readonly<Record<string, unknown>> }) =>
    text(`echo says: ${String(args['text'])}`);
  const inputSchema = { type: 'object' as const, properties: { text: { type: 'string' } } };
  tools = await McpFixture.start({ tools: [{ name: 'echo', inputSchema, run }] });
});
afterAll(async () => {
  await tools.close();
  await stage.close();
});

let counted = 0;
/** A run with a tool, and what its model was asked. */
async function ran(
  turn: (request: ChatRequest) => ScriptedTurn,
  more: Omit<RunBody, 'message'> = {},
  session?: string,
) {
  const before = stage.model.requests.length;
  stage.model.script(turn);
  const body = { message: `run ${++counted}`, mcp_servers: [echo()], ...more };
  const ended = await stage.client.runToEnd(body, session === undefined ? {} : { session });
  return { ...ended, requests: stage.model.requests.slice(before).map((request) => request.body) };
}
const echo = () => ({ serverName: 'e', serverUrl: tools.url });

describe('the answers of strangers', () => {
  it('01: an answer ends with a reason, not with the word for none', async () => {
    const ended = await ran(() => inPieces('01-finish-reason-null.txt', delay(7000)));
    expect(ended).toMatchObject({ status: 'completed', response: 'First half, second half.' });
  });

  it('02: one object is an answer, and is asked for once', async () => {
    const { requests, ...ended } = await ran(() => answer('02-one-json-object.json'));
    expect(ended).toMatchObject({ status: 'completed', response: 'Whole.' });
    expect(requests.length).toBe(1);
  });

  it('03: an error without the key for one is a context that is too long', async () => {
    const { requests, ...ended } = await ran(() => answer('03-error-without-error-key.txt'));
    expect(ended.error).toMatchObject({
      code: 'context_too_long',
      message: expect.stringContaining('9000 were given'),
    });
    expect(requests.length).toBe(1);
  });

  it('04: arguments may stand behind an empty object', async () => {
    await ran((asked) => (hasResult(asked) ? say('ok') : answer('04-arguments-after-empty-object.txt')));
    expect(tools.calls.at(-1)).toBe('echo {"text":"prefixed"}');
  });

  it('05: thinking inside the text is thinking, and goes to nobody', async () => {
    const first = await ran(() => inPieces('05-think-tags.txt'));
    expect(first.response).toBe('It is 42.');
    expect(first.messages).toContainEqual({
      type: 'agent_thinking',
      content: 'The user wants a number.',
    });
    const { requests } = await ran(() => say('ok'), {}, first.session);
    expect(JSON.stringify([requests, await stage.client.history(first.session)])).not.toContain('think>');
    expect(JSON.stringify(requests)).not.toContain('wants a number');
  });

  it('08: a call without a name is told to the agent, and the session stays usable', async () => {
    const isBad = (asked: ChatRequest) =>
      callsIn(asked).some((one) => !/^[a-zA-Z0-9_-]{1,64}$/.test(one.function.name));
    const turn = (asked: ChatRequest): ScriptedTurn => {
      if (isBad(asked)) return refused(json('08-empty-tool-name-refusal.json'));
      return hasResult(asked) ? say('ok') : answer('08-empty-tool-name.txt');
    };
    const first = await ran(turn);
    expect(first).toMatchObject({ status: 'completed', response: 'ok' });
    expect(await ran(turn, {}, first.session)).toMatchObject({ status: 'completed', response: 'ok' });
  });
});

describe('the refusals of strangers', () => {
  it('06: a parameter that is refused is left out', async () => {
    const turn = (asked: ChatRequest): ScriptedTurn =>
      'reasoning_effort' in asked ? refused(json('06-reasoning-effort.json')) : say('ok');
    const first = await ran(turn);
    expect(first).toMatchObject({ status: 'completed', response: 'ok' });
    expect((await ran(turn)).requests.length).toBe(1);
  });

  it('09: a run that was cancelled before its first word ends no session', async () => {
    stage.model.script([{ steps: [{ kind: 'hang' }], role: false }]);
    const before = stage.model.requests.length;
    const stream = await stage.client.run({ message: 'hang' });
    await stage.model.requested(before + 1);
    const { session, run } = stream;
    expect((await stage.client.post(`/runs/${run}/cancel`)).status).toBeLessThan(300);
    await stream.closed();
    const turn = ({ messages }: ChatRequest): ScriptedTurn => {
      const said = messages.filter((one) => one.role !== 'system' && one.role !== 'tool' && !one.tool_calls);
      return said.some((one, at) => one.role === said[at + 1]?.role)
        ? refused(json('09-roles-in-turn.json'))
        : say('ok');
    };
    expect(await ran(turn, {}, session)).toMatchObject({ status: 'completed', response: 'ok' });
  });

  it('10: a final output that can be asked for in no other way is asked for in words', async () => {
    const { refusals, request } = json<{
      refusals: [Refusal, Refusal];
      request: RunBody;
    }>('10-final-output.json');
    const output = { city: 'Bern', people: 140000 };
    const turn = (asked: ChatRequest): ScriptedTurn => {
      if (asked.response_format?.type === 'json_schema') return refused(refusals[0]);
      const { tool_choice: choice = 'auto' } = asked;
      if (choice !== 'auto' && choice !== 'none') return refused(refusals[1]);
      const last = JSON.stringify(asked.messages.at(-1));
      if (!last.includes('final output')) return say('Bern has 140000 people.');
      const isOffered = asked.tools?.some(({ function: { name } }) => name === 'final_output');
      return say(...(isOffered ? call(0, 'c', 'final_output', output) : [JSON.stringify(output)]));
    };
    const ended = await ran(turn, { ...request, mcp_servers: [] });
    expect(ended).toMatchObject({ status: 'completed', final_output: output });
  });
});

describe('07: what a server sent of its own', () => {
  const SIGNATURE = 'c2lnbmF0dXJl';

  it('goes back to it with the call, and is shown to nobody', async () => {
    const turn = (asked: ChatRequest): ScriptedTurn => {
      if (!hasResult(asked)) return answer('07-thought-signature.txt');
      const isBack = callsIn(asked).every((one) => {
        const { extra_content: extra } = one as { extra_content?: unknown };
        return JSON.stringify(extra) === JSON.stringify({ google: { thought_signature: SIGNATURE } });
      });
      return isBack ? say('ok') : refused(json('07-thought-signature-refusal.json'));
    };
    const receiver = await CallbackReceiver.start();
    const callback = { url: receiver.url };
    const ended = await ran(turn, { callback });
    expect(ended).toMatchObject({ status: 'completed', response: 'ok' });
    const again = await ran(turn, { callback }, ended.session);
    expect(again).toMatchObject({ status: 'completed', response: 'ok' });
    expect(JSON.stringify(again.requests)).toContain(SIGNATURE);
    const events = await Promise.all(
      [ended, again].map(async ({ run_id }) => (await stage.client.follow(`/runs/${run_id}`)).closed()),
    );
    const records = events.map((stream) => stream.records);
    await receiver.until((all) => all.filter(({ body }) => body.includes('agent_completed')).length === 2);
    const shown = [
      ended.messages,
      again.messages,
      await stage.client.history(ended.session),
      records,
      receiver.received.map(({ body }) => body),
    ];
    await receiver.close();
    expect(JSON.stringify(shown)).toContain('echo says: signed');
    expect(new Search([SIGNATURE]).in(JSON.stringify(shown))).toEqual([]);
    // What is kept of it is sealed.
    expect(await filesWith(stage.service.dataDir, [SIGNATURE])).toEqual([]);
  });
});

describe('a model server that has its own limits', () => {
  let slow: Stage;
  beforeAll(async () => {
    const env = {
      MODEL_CONCURRENCY: '1',
      MODEL_TIMEOUT_S: '2',
      MODEL_OMIT_FLASH: 'reasoning_effort,stream_options',
    };
    slow = await Stage.open({ env });
  });
  afterAll(() => slow.close());

  it('is asked for one answer at a time, and nobody is given up for waiting here', async () => {
    const gate = new Gate();
    const messages = Array.from({ length: 10 }, (_, n) => slow.book.on(`slot ${n}`, say(before(gate), 'ok')));
    const runs = messages.map((message) => slow.client.runToEnd(message));
    await gate.reached;
    gate.open();
    for (const ended of await Promise.all(runs)) expect(ended).toMatchObject({ status: 'completed' });
    expect(slow.model.maxConcurrent).toBe(1);
    for (const message of messages) expect(slow.book.asksOf(message, 0)).toBe(1);
  });

  it('is waited for as long as the setting says', async () => {
    const message = slow.book.on('hang', (attempt) => (attempt === 0 ? { kind: 'hang' } : say('ok')));
    expect(await slow.client.runToEnd(message)).toMatchObject({ status: 'completed', response: 'ok' });
    expect(slow.book.asksOf(message, 0)).toBe(2);
  });

  it('is not sent what the setting leaves out', async () => {
    await slow.client.runToEnd({ message: 'flash', mode: 'flash' });
    const { body } = slow.model.requests.at(-1)!;
    expect(Object.keys(body).toSorted()).toEqual(['messages', 'model', 'stream']);
    await slow.client.runToEnd({ message: 'base' });
    expect(slow.model.requests.at(-1)!.body).toHaveProperty('reasoning_effort');
  });
});
