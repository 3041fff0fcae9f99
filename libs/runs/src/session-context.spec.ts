import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunConfig } from '#domain';
import { MemoryFileStore } from '#vault';
import { type RecordedEvent } from '#event-log';
import { House, type HouseOptions } from '../../../test/support/house.js';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { behind, heldBy } from '../../../test/support/scripted-log.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { type ClientStep, done, text, toolCall } from '../../../test/support/scripted-client.js';
import {
  SessionTape,
  completed,
  opened,
  response,
  responseStart,
  step,
  turn,
} from '../../../test/support/session-tape.js';
import { TempLog, appendTape } from '../../../test/support/temp-log.js';
import { contextAsOf } from './context-as-of.js';
import { unweighed } from '#platform';

let temp: TempLog;
let count = 0;
const open = (options: HouseOptions) => new House(temp, `context ${++count}`, options);
const answers = (): ClientStep[] => [text('ok'), done()];

beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

/** The first turn calls a tool, all others answer. */
const withTool: HouseOptions = {
  script: (_, n) => (n === 0 ? [text('let me see'), done(toolCall('c1', 'look', { at: 'it' }))] : answers()),
  tools: [new LedgerTool('look')],
};

describe('the context of a later run', () => {
  it('holds the runs before it, each message in its role, calls with their results', async () => {
    const house = open(withTool);
    const { session } = await house.run('one');
    await house.run('two', { session });
    expect(house.model.requests[2]?.messages.slice(1)).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'let me see', toolCalls: [toolCall('c1', 'look', { at: 'it' })] },
      { role: 'tool', callId: 'c1', content: 'look did {"at":"it"}' },
      { role: 'assistant', content: 'ok' },
      { role: 'user', content: 'two' },
    ]);
    expect(house.log.reads).toBe(0);
  });

  it('is the same in a process that reads it from the log', async () => {
    const house = open(withTool);
    const { session } = await house.run('one');
    await house.run('two', { session });
    const cold = open({ script: answers });
    await cold.run('three', { session });
    await house.settled();
    const warm = house.told(2);
    expect(cold.told(0)).toEqual([...warm, 'assistant ok', 'user three']);
    const roles = cold.model.requests[0]?.messages.map((m) => m.role).slice(1);
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'user']);
  });

  it('has the system message of its own run only', async () => {
    const house = open({ script: answers });
    const { session } = await house.run('one', { config: { system: 'You are A.' } });
    await house.run('two', { session, config: { system: 'You are B.' }, mode: 'flash' });
    const [first, second] = house.model.requests;
    expect(first?.messages[0]?.content).toContain('You are A.');
    expect(second?.messages[0]?.content).toContain('You are B.');
    expect(second?.messages[0]?.content).not.toContain('You are A.');
    expect([first?.model, second?.model]).toEqual(['m-base', 'm-flash']);
  });

  it('holds messages that lie in files, in this process and in another', async () => {
    const files = new MemoryFileStore();
    const long = 'x'.repeat(180_000);
    const house = open({ script: answers, files });
    const { session } = await house.run(long);
    await house.run('two', { session });
    const cold = open({ script: answers, files });
    await cold.run('three', { session });
    expect(house.told(0)).toEqual([`user ${long}`]);
    expect(cold.told(0)[0]).toBe(`user ${long}`);
  });

  it('is read backwards only as far as there is room for, where nothing was compacted', async () => {
    const long = 'x'.repeat(24_000);
    const tape = new SessionTape().add(undefined, opened);
    for (let i = 0; i < 300; i++)
      tape.addRun(`run_ses_long_${i}`, `${i}`, responseStart, response(long), turn(), step(1), completed);
    await appendTape(temp, 'ses_long', tape);
    const told = await contextAsOf(
      temp.log,
      { session: 'ses_long', at: tape.next - 1 },
      unweighed,
      1_000_000,
    );
    expect(told.length).toBeGreaterThan(80);
    expect(told.length).toBeLessThan(90);
    expect(told[0]).toMatchObject({ role: 'user' });
  });
});

/** A house whose first run says `a` and waits; what comes after is answered with `ok`. */
async function busy(config: RunConfig = {}) {
  const gate = new Gate();
  const house = open({ script: (_, n) => (n === 0 ? [text('a'), gate, text('b'), done()] : answers()) });
  const first = await house.start('one', { config });
  await gate.reached;
  return { house, gate, first, session: first.session };
}

const CLEARED = ['user_message two', 'agent_response ok'];

describe('what a run said before it was cancelled', () => {
  it.each([{}, { streaming_tokens: true }])(
    'is told to the next one, here and in another process: %j',
    async (config) => {
      const { house, first, session } = await busy(config);
      await house.cancel(first);
      await house.ended(first);
      await house.run('go on', { session });
      expect(house.told(1)).toEqual(['user one', 'assistant a', 'user go on']);
      const cold = open({ script: answers });
      await cold.run('and on', { session });
      expect(cold.told(0)).toEqual([...house.told(1), 'assistant ok', 'user and on']);
      expect(await house.history(session)).toContain('agent_response a');
    },
  );
});

it('what a run said that could not be stored is told to nobody', async () => {
  const { house, gate, first, session } = await busy({ streaming_tokens: true });
  await house.heard(session, ({ type }) => type === 'agent_response');
  house.log.next(() => Promise.reject(new Error('scripted')));
  gate.open();
  await house.ended(first);
  await house.run('go on', { session });
  expect(house.told(1)).toEqual(['user one', 'assistant a', 'user go on']);
});

describe('a clear', () => {
  it('empties history and context from the next run on', async () => {
    const house = open({ script: answers });
    const { session } = await house.run('one');
    await house.clear({ session });
    expect(await house.history(session)).toEqual([]);
    await house.run('two', { session });
    expect(house.told(1)).toEqual(['user two']);
    expect(await house.history(session)).toEqual(CLEARED);
  });

  it('leaves the run under way its context, and nothing of it to the next one', async () => {
    const house = open({ script: answers });
    const { session } = await house.run('zero');
    const gate = new Gate();
    const again = open({
      script: (_, n) => (n === 0 ? [done(toolCall('c', 'wait'))] : answers()),
      tools: [new LedgerTool('wait', { act: () => gate.arrive() })],
    });
    const first = await again.start('one', { session });
    await gate.reached;
    await again.clear({ session });
    gate.open();
    await again.ended(first);
    expect(again.told(1)).toEqual(['user zero', 'assistant ok', 'user one', 'assistant ', 'tool ']);
    expect(await again.history(session)).toEqual([]);
    await again.run('two', { session });
    expect(again.told(2)).toEqual(['user two']);
    expect(await again.history(session)).toEqual(CLEARED);
  });

  it('during a run holds for one that waited before it', async () => {
    const { house, gate, session } = await busy();
    const b = await house.start('two', { session });
    await house.clear({ session });
    gate.open();
    await house.ended(b);
    expect(house.told(1)).toEqual(['user two']);
    expect(await house.history(session)).toEqual(CLEARED);
  });

  it('holds where it stands in one append with the start of a run', async () => {
    const house = open({ script: answers });
    const { session } = await house.run('zero');
    await house.settled();
    const gate = new Gate();
    house.log.next(heldBy(gate));
    const inFlight = house.clear({ session });
    await gate.reached;
    const first = house.start('one', { session });
    await new Promise(setImmediate);
    const cleared = house.clear({ session });
    await new Promise(setImmediate);
    gate.open();
    await Promise.all([inFlight, cleared]);
    expect(house.log.appends.at(-1)?.types).toEqual([
      'run_requested',
      'run_claimed',
      'agent_started',
      'messages_cleared',
    ]);
    await house.ended(await first);
    await house.run('two', { session });
    expect(house.told(2)).toEqual(['user two']);
  });

  it('during a run holds when another process takes the run over', async () => {
    const { house, first, session } = await busy();
    await house.clear({ session });
    house.core.sessions.active().forEach((s) => s.stop());
    await house.settled();
    const next = open({ script: answers });
    await next.core.recovery.resume(session);
    await next.ended(first);
    expect(next.told(0)).toEqual(['user one']);
    await next.run('two', { session });
    expect(next.told(1)).toEqual(['user two']);
    expect(await next.history(session)).toEqual(CLEARED);
  });

  it("by another process holds when this one's next append finds it", async () => {
    const { house, gate, first, session } = await busy();
    const other = open({ script: answers });
    house.log.next(behind(() => other.clear({ session })));
    gate.open();
    await house.ended(first);
    await house.run('two', { session });
    expect(house.told(1)).toEqual(['user two']);
    expect(await house.history(session)).toEqual(CLEARED);
  });
});

describe("another process's run", () => {
  it('is in the context of the next run here', async () => {
    const house = open({ script: answers });
    const { session } = await house.run('one');
    await house.settled();
    const other = open({ script: () => [text('from afar'), done()] });
    const theirs = await other.run('two', { session });
    const end = (e: RecordedEvent) => e.meta.run === theirs.run && e.type === 'agent_completed';
    const { revision } = await other.heard(session, end);
    (await house.core.sessions.get(session)).journal.learn(revision);
    await house.run('three', { session });
    expect(house.told(1)).toEqual([
      'user one',
      'assistant ok',
      'user two',
      'assistant from afar',
      'user three',
    ]);
  });
});
