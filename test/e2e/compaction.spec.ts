import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Content, type RecordedSessionEvent, knownSessionEvent } from '#domain/browser';
import { chatMessage, foldView } from '#projections';
import { type ChatRequest, textOf } from '#demo-model';
import { verdictOf } from '../support/proof/verified.js';
import { Stage } from '../support/stage.js';
import { type ScriptedTurn, call, say } from '../support/scripted-model.js';

const DIE_AT_TYPE = resolve('test/e2e/hooks/die-at-type.ts');
const asJson = { headers: { accept: 'application/json' } };
const inside = (n: number | string): string => `${n} `.padEnd(300, 'la ');

/** What makes a full context: each run calls a tool that is not there, and then answers. */
function talks({ messages }: ChatRequest): ScriptedTurn {
  const last = messages.at(-1);
  const said = textOf(last);
  if (last?.role !== 'user') return say(inside(`answer to ${messages.length}`));
  if (said.startsWith('Write a summary')) return say(`In short: ${messages.length} messages.`);
  if (said.startsWith('read ')) return say(...call(0, 'h', 'read_history', said.slice('read '.length)));
  return say(...call(0, `c${messages.length}`, 'nowhere', { about: inside('this') }));
}

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open({ env: { CONTEXT_BASE: '2000', CONTEXT_FLASH: '100000' } });
  stage.model.script(talks);
});
afterAll(() => stage.close());

const workflow = {
  id: 'w',
  name: 'w',
  description: 'not needed',
  steps: [{ id: 's', name: 's', description: 'nothing', depends_on: [] }],
};

async function talk(runs: number, more: object = {}, start?: string): Promise<string> {
  let session = start;
  for (let n = 0; n < runs; n++) {
    const body = {
      message: inside(`ask ${n}`),
      system: 'Be kind. '.repeat(40),
      workflows: [workflow],
      ...more,
    };
    const ended = await stage.client.runToEnd(body, session === undefined ? {} : { session });
    expect(ended.status).toBe('completed');
    session = ended.session;
  }
  return session!;
}

interface Line {
  readonly revision: number;
  readonly type: string;
  readonly time: number;
  readonly project: string;
  readonly actor: string;
  readonly run?: string;
  readonly text: string;
}

/** All of a stream, page by page. */
async function pagesOf<T>(path: string): Promise<{ readonly id: string; readonly data: T }[]> {
  const items: { readonly id: string; readonly data: T }[] = [];
  for (let after = ''; ; after = `&after=${items.at(-1)?.id}`) {
    const answer = await stage.client.get(`${path}${after}`, asJson);
    const page = answer.json<{ readonly items: typeof items }>();
    items.push(...page.items);
    if (page.items.length < 200) return items;
  }
}

async function logOf(session: string): Promise<RecordedSessionEvent[]> {
  const items = await pagesOf<Line>(`/sessions/${session}/log?inline=262144&limit=200`);
  return items.map(({ data: { text, run, project, actor, ...passage } }) => {
    const meta = { project, actor, ...(run === undefined ? {} : { run }) };
    return knownSessionEvent({ ...passage, meta, data: JSON.parse(text) as object })!;
  });
}
const compactionsOf = (events: readonly RecordedSessionEvent[]) =>
  events.flatMap((event) => (event.type === 'agent_compacted' ? [event] : []));

const isForSummary = ({ messages }: ChatRequest): boolean =>
  textOf(messages.at(-1)).startsWith('Write a summary');
const sharedBy = (a: string, b: string): number => {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at / a.length;
};

describe('a session of two hundred turns', () => {
  let session: string;
  const bodies: ChatRequest[] = [];
  beforeAll(async () => {
    const before = stage.model.requests.length;
    session = await talk(50);
    await stage.service.restart('SIGKILL');
    await talk(50, {}, session);
    bodies.push(...stage.model.requests.slice(before).map(({ body }) => body));
  });

  it('sends requests that begin as the one before did, over runs and a kill, but at compactions', () => {
    const turns = bodies.filter((body) => !isForSummary(body));
    expect(turns).toHaveLength(200);
    const summaries = bodies.length - turns.length;
    expect(summaries).toBeGreaterThan(5);
    let others = 0;
    for (const [n, body] of bodies.entries()) {
      const last = bodies[n - 1];
      if (last === undefined || isForSummary(last)) continue;
      const [a, b] = [JSON.stringify(last.messages).slice(0, -1), JSON.stringify(body.messages)];
      expect([n, b.startsWith(a)]).toEqual([n, true]);
      expect(sharedBy(JSON.stringify(last), JSON.stringify(body))).toBeGreaterThan(0.95);
      others++;
    }
    expect(others).toBeGreaterThan(180);
  });

  it('is at each event what the API says was told there', async () => {
    const events = await logOf(session);
    const first = compactionsOf(events)[0]!.revision;
    const text = (content: Content): string => content as string;
    for (const at of [first - 1, first, first + 1, events.length >> 1, events.length - 1]) {
      const { context } = foldView(session, events, at);
      const chat = context.map((message) => chatMessage(message, text));
      const sent = await stage.client.get(`/sessions/${session}/context?at=${at}`);
      expect([at, sent.json()]).toEqual([at, { messages: chat }]);
    }
    const told = foldView(session, events, first).context[0];
    expect(told).toMatchObject({ role: 'user', content: expect.stringMatching(/^In short: /) });
  });

  it('tells of its compactions, and of what they cost', async () => {
    const events = await logOf(session);
    const all = compactionsOf(events);
    const calls = events.filter((event) => event.type === 'model_called' && event.data.kind === 'compaction');
    expect(calls).toHaveLength(all.length);
    expect(new Set(all.map(({ data }) => data.from))).toEqual(new Set(['3']));
    const throughs = all.map(({ data }) => Number(data.through));
    expect(throughs.toSorted((a, b) => a - b)).toEqual(throughs);
    for (const at of throughs) expect(events[at]?.type).toMatch(/^agent_(?:step|started)$/);
    const shown = await pagesOf<{ readonly type: string }>(`/sessions/${session}/events?limit=200`);
    expect(shown.filter(({ data }) => data.type === 'agent_compacted')).toHaveLength(all.length);
  });

  it('reads again what it is not told any more', async () => {
    await stage.client.runToEnd({ message: 'read {"query":"ASK 3 ","limit":2}' }, { session });
    const asked = stage.model.requests.at(-1)!.body;
    const result = JSON.parse(textOf(asked.messages.at(-1))) as { readonly messages: readonly object[] };
    expect(result.messages).toMatchObject([
      { type: 'user_message', content: inside('ask 3') },
      { type: 'user_message', content: inside('ask 3') },
    ]);
  });
});

describe('the same session with and without a compaction', () => {
  it('has the same history, and its proof holds either way', async () => {
    const other = await talk(12, { mode: 'flash' });
    const same = await talk(12);
    const left = await talk(12, { compaction: false });
    const plain = (messages: readonly { readonly type: string; readonly content: string }[]) =>
      messages.map(({ type, content }) => `${type} ${content.replace(/^answer to \d+/, '')}`);
    const histories = await Promise.all([other, same, left].map((id) => stage.client.history(id)));
    expect(plain(histories[1]!)).toEqual(plain(histories[0]!));
    expect(plain(histories[2]!)).toEqual(plain(histories[0]!));
    const [none, some, empty] = await Promise.all([other, same, left].map(logOf));
    expect(compactionsOf(none!)).toEqual([]);
    expect(compactionsOf(some!).every(({ data }) => data.content !== '')).toBe(true);
    expect(compactionsOf(empty!).length).toBeGreaterThan(1);
    expect(compactionsOf(empty!).every(({ data }) => data.content === '')).toBe(true);
    for (const id of [other, same, left]) {
      const file = (await stage.client.get(`/sessions/${id}/export?disclose=all`)).text;
      expect(verdictOf(file)).toMatchObject({ exit: 0 });
    }
  });
});

describe('a process that is killed around a compaction', () => {
  it.each(['sent:agent_compacted', 'stored:agent_compacted'])(
    'at %s has it on the log once, and the run goes on',
    async (at) => {
      const session = await talk(5);
      await stage.service.restart('SIGTERM', { imports: [DIE_AT_TYPE], env: { DIE_AT: at } });
      const asked = stage.model.requests.length;
      const stream = talk(3, {}, session).catch(() => undefined);
      expect(await stage.service.exited).toMatchObject({ signal: 'SIGKILL' });
      await stream;
      await stage.service.launch();
      const [last] = await stage.client.all<{ readonly run_id: string }>(`/runs?session=${session}`);
      const events = await stage.client.follow(`/runs/${last!.run_id}`);
      await events.closed();
      const summaries = stage.model.requests.slice(asked).filter(({ body }) => isForSummary(body));
      expect(summaries).toHaveLength(at.startsWith('sent') ? 2 : 1);
      const log = await logOf(session);
      expect(compactionsOf(log)).toHaveLength(1);
      expect(log.at(-1)?.type).toBe('agent_completed');
    },
  );
});
