import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HistoryPart, type ModelRequest, ReadHistory } from '#agent';
import { type RunConfig, type SessionId, sessionStream } from '#domain';
import { MemoryContentKeys } from '#event-log';
import { MemoryFileStore } from '#vault';
import { ForkingHouse } from '../../../test/support/forking-house.js';
import type { HouseOptions } from '../../../test/support/house.js';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { type ClientStep, done, text, toolCall } from '../../../test/support/scripted-client.js';
import { TempLog } from '../../../test/support/temp-log.js';

const keys = new MemoryContentKeys();
let temp: TempLog;
let count = 0;
beforeAll(async () => {
  temp = await TempLog.open(keys);
});
afterAll(() => temp.close());

const config: RunConfig = {};
const long = (text: string): string => text.padEnd(400, '.');
const isForSummary = ({ messages }: ModelRequest): boolean =>
  messages.at(-1)?.role === 'user' && messages.at(-1)!.content.startsWith('Write a summary');

/** A model that looks something up in each run, and reads the history where it is told to with JSON. */
function script({ messages }: ModelRequest, n: number): readonly ClientStep[] {
  if (isForSummary({ messages } as ModelRequest)) return [text('in short'), done()];
  const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const isFirst = messages.at(-1)?.role === 'user';
  if (isFirst && asked.startsWith('{')) return [done(toolCall(`h${n}`, 'read_history', asked))];
  if (isFirst) return [done(toolCall(`c${n}`, 'look', { n }))];
  return [text(long(`answer ${n} `)), done()];
}
const open = (options: Partial<HouseOptions> = {}) =>
  new ForkingHouse(temp, keys, `log history ${++count}`, {
    script,
    context: 2_000,
    tools: [new LedgerTool('look')],
    ...options,
  });

async function talked(house: ForkingHouse, runs: number, start?: SessionId): Promise<SessionId> {
  let session = start;
  for (let n = 0; n < runs; n++)
    ({ session } = await house.run(long(`ask ${n} `), {
      config,
      ...(session === undefined ? {} : { session }),
    }));
  return session!;
}

/** What the agent is told when it calls the tool with this. */
async function read(house: ForkingHouse, session: SessionId, input: object): Promise<HistoryPart> {
  await house.run(JSON.stringify(input), { session, config });
  const result = house.model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool');
  return JSON.parse(result?.content ?? '') as HistoryPart;
}
const ids = ({ messages }: HistoryPart): string[] => messages.map(({ id }) => id);
const heads = ({ messages }: HistoryPart): string[] =>
  messages.map(({ type, content }) => `${type} ${content.slice(0, 8)}`);

describe('read_history', () => {
  it('is offered behind all other tools, from the first compaction on', async () => {
    const house = open();
    const session = await talked(house, 12);
    const offered = house.model.requests.map(({ tools }) => tools.map(({ name }) => name).join());
    const first = house.model.requests.findIndex(isForSummary);
    expect(new Set(offered.slice(0, first + 1))).toEqual(new Set(['look']));
    expect(new Set(offered.slice(first + 1))).toEqual(new Set(['look,read_history']));
    await house.clear({ session });
    await house.run('anew', { session, config });
    expect(house.model.requests.at(-1)?.tools.map(({ name }) => name)).toEqual(['look']);
  });

  it('gives what was said and returned, oldest first, page by page, word for word', async () => {
    const house = open();
    const session = await talked(house, 12);
    const part = await read(house, session, { limit: 5 });
    expect(heads(part)).toEqual([
      'user_message ask 0 ..',
      'agent_tool_use {"tool":',
      'agent_tool_response look: lo',
      'agent_response answer 1',
      'user_message ask 1 ..',
    ]);
    expect(part.messages[3]?.content).toBe(long('answer 1 '));
    const next = await read(house, session, { limit: 2, from: part.next });
    expect(heads(next)).toEqual(['agent_tool_use {"tool":', 'agent_tool_response look: lo']);
    expect(ids(next)[0]).toBe(part.next);
  });

  it('finds a text in any case, and shows the part of a long message around it', async () => {
    const house = open({ files: new MemoryFileStore() });
    const session = await talked(house, 12);
    await house.run(`${'x'.repeat(3_000)} The Needle ${'y'.repeat(3_000)}`, { session, config });
    await talked(house, 3, session);
    const { messages, next } = await read(house, session, { query: 'the needle' });
    expect(next).toBeNull();
    // The message of the run that asks holds it, too; its call is no part of what was said.
    expect(messages.map(({ type }) => type)).toEqual(['user_message', 'user_message']);
    expect(messages[0]?.content).toContain('The Needle');
    expect(messages[0]?.content).toMatch(/^\[6012 characters, from \d+ on\] x/);
    expect(JSON.stringify(messages).length).toBeLessThan(2_500);
  });

  it('finds a text behind letters that are longer in lower case, and cuts no pair of surrogates', async () => {
    const house = open({ files: new MemoryFileStore() });
    const session = await talked(house, 12);
    await house.run(`${'İ'.repeat(3_000)} The Needle ${'🦊'.repeat(3_000)}`, { session, config });
    await talked(house, 3, session);
    const { messages } = await read(house, session, { query: 'the needle' });
    expect(messages[0]?.content).toContain('İ The Needle 🦊');
    expect(messages[0]?.content).not.toContain('\uFFFD');
  });

  it('finds in the input of a call what is written otherwise in JSON', async () => {
    const house = open();
    const session = await talked(house, 1);
    const input = { path: 'C:\\dir', text: 'say "hi"' };
    const asks = (request: ModelRequest, n: number): readonly ClientStep[] =>
      n === 0 ? [done(toolCall('c', 'look', input))] : script(request, n);
    await open({ script: asks }).run('call', { session, config });
    await talked(house, 12, session);
    for (const query of ['C:\\DIR', 'say "hi"']) {
      const { messages } = await read(house, session, { query });
      expect(messages.filter(({ type }) => type === 'agent_tool_use')).toHaveLength(1);
    }
  });

  it('knows nothing from before a clear', async () => {
    const house = open();
    const session = await talked(house, 12);
    await house.clear({ session });
    await talked(house, 12, session);
    const part = await read(house, session, { from: '0', limit: 1 });
    expect(heads(part)).toEqual(['user_message ask 0 ..']);
    const cleared = (await temp.read(sessionStream(session))).findIndex(
      ({ type }) => type === 'messages_cleared',
    );
    expect(Number(ids(part)[0])).toBeGreaterThan(cleared);
  });

  it('knows nothing from before a clear either where a place of another session is asked for', async () => {
    const house = open();
    const parent = await talked(house, 3);
    const session = await house.fork(parent);
    // More than a page of the log.
    for (let n = 0; n < 60; n++) await house.run(`secret ${n}`, { session, config });
    await house.clear({ session });
    await talked(house, 12, session);
    for (const from of [`${parent}@0`, 'ses_nobody@0', `${session}@0`]) {
      const part = await read(house, session, { from, limit: 3 });
      expect(ids(part)[0]).not.toContain('@');
      expect(heads(part)[0]).toBe('user_message ask 0 ..');
    }
  });

  it('of a fork reads what it shares, and names that with its session', async () => {
    const house = open();
    const parent = await talked(house, 12);
    const session = await house.fork(parent);
    await talked(house, 4, session);
    const part = await read(house, session, { limit: 2 });
    expect(heads(part)[0]).toBe('user_message ask 0 ..');
    expect(ids(part)[0]).toBe(`${parent}@3`);
    const next = await read(house, session, { from: part.next, query: 'answer', limit: 200 });
    expect(next.messages.length).toBeGreaterThan(3);
    await house.erase(parent);
    const own = await read(house, session, { limit: 1 });
    expect(ids(own)[0]).not.toContain('@');
  });

  it.each([
    [{ limit: 0 }, 'limit must be a whole number, 1 at least'],
    [{ from: 'x' }, 'from must be the id of an event, as text'],
    [{ query: 1 }, 'query must be a text'],
    [{ pattern: 'x' }, 'there is no argument "pattern"'],
    ['x', 'the arguments must be an object'],
  ])('says what is wrong with %j', async (input, said) => {
    const unused = { read: () => Promise.reject(new Error('not asked')) };
    const tool = new ReadHistory(unused, {} as ConstructorParameters<typeof ReadHistory>[1]);
    await expect(tool.call(input, new AbortController().signal)).resolves.toEqual({
      content: said,
      isError: true,
    });
  });
});

describe('a fork', () => {
  it('of an event before a compaction is told everything, of one behind it the summary', async () => {
    const house = open();
    const parent = await talked(house, 12);
    const at = await house.revisionOf(parent, 'agent_compacted');
    const before = await house.fork(parent, at - 2);
    const asked = house.model.requests.length;
    await house.run('before', { session: before, config });
    // It is as full as its parent was: the first request is the one for a summary.
    expect(house.told(asked)[0]).toMatch(/^user ask 0/);
    const behind = await house.fork(parent, at);
    await house.run('behind', { session: behind, config });
    expect(house.told(-2)[0]).toBe('user in short');
  });

  it('that has summed up what it shares keeps its summary when the parent is erased', async () => {
    const house = open();
    const parent = await talked(house, 6);
    const session = await house.fork(parent);
    await talked(house, 6, session);
    expect(house.told(-1)[0]).toBe('user in short');
    await house.erase(parent);
    await house.run('on', { session, config });
    expect(house.told(-2)[0]).toBe('user in short');
    const cold = open();
    await cold.run('and on', { session, config });
    expect(cold.told(0)[0]).toBe('user in short');
  });
});
