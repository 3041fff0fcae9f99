import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SessionId, sessionStream } from '#domain';
import { MemoryContentKeys } from '#event-log';
import { unweighed } from '#platform';
import { ForkingHouse } from '../../../../test/support/forking-house.js';
import { CALLER, type HouseOptions } from '../../../../test/support/house.js';
import { LedgerTool } from '../../../../test/support/ledger-tool.js';
import { type ClientStep, done, text, toolCall } from '../../../../test/support/scripted-client.js';
import { Gate } from '../../../../test/support/scripted-turn.js';
import {
  SessionTape,
  completed,
  opened,
  response,
  responseStart,
  step,
  turn,
} from '../../../../test/support/session-tape.js';
import { TempLog, appendTape } from '../../../../test/support/temp-log.js';
import { contextAsOf } from '../context-as-of.js';

const keys = new MemoryContentKeys();
let temp: TempLog;
let count = 0;
beforeAll(async () => {
  temp = await TempLog.open(keys);
});
afterAll(() => temp.close());

const open = (options: HouseOptions) => new ForkingHouse(temp, keys, `forked contexts ${++count}`, options);
const answers = (): ClientStep[] => [text('ok'), done()];
const look = new LedgerTool('look');
/** A turn that calls a tool. */
const looks = (said: string): ClientStep[] => [text(said), done(toolCall('c1', 'look'))];
const looked = ['assistant let me see', 'tool look did {}'];

/** A fork of a session with one run. */
async function forked(house: ForkingHouse): Promise<SessionId> {
  const { session } = await house.run('one');
  return house.fork(session);
}
const SHARED = ['user one', 'assistant ok'];

describe("a fork's run", () => {
  it('that is taken over by another process goes on with what is shared', async () => {
    const gate = new Gate();
    const script = (_: unknown, n: number): ClientStep[] =>
      n === 1 ? looks('let me see') : n === 2 ? [text('half'), gate, done()] : answers();
    const house = open({ script, tools: [look] });
    const session = await forked(house);
    const run = await house.start('two', { session });
    await gate.reached;
    house.core.sessions.active().forEach((active) => active.stop());
    await house.settled();
    const next = open({ script: answers, tools: [look] });
    await next.core.recovery.resume(session);
    await next.ended(run);
    expect(next.told(0)).toEqual([...SHARED, 'user two', ...looked]);
    await next.run('three', { session });
    expect(next.told(1)).toEqual([...next.told(0), 'assistant ok', 'user three']);
  });

  it('that was cancelled is retried with what is shared, and without what it said last', async () => {
    const script = (_: unknown, n: number): ClientStep[] =>
      n === 1 ? looks('let me see') : n === 2 ? [text('half'), 'hang'] : answers();
    const house = open({ script, tools: [look] });
    const session = await forked(house);
    const broken = await house.start('two', { session });
    await house.model.asked(3);
    await house.heard(session, ({ type }) => type === 'agent_response_start');
    await house.cancel(broken);
    await house.ended(broken);
    const of = { run: broken.run, requested: broken.requested, mcpServers: [] };
    const command = await house.core.retries.commandOf(of, CALLER.project, { actor: CALLER.actor });
    await house.ended(await house.core.startRun.start(command));
    expect(house.told(-1)).toEqual([...SHARED, 'user two', ...looked]);
    const cold = open({ script: answers, tools: [look] });
    await cold.run('three', { session });
    expect(cold.told(0)).toEqual([...SHARED, 'user two', ...looked, 'assistant ok', 'user three']);
  });

  it('keeps what is shared where the fork is cleared meanwhile, and the next one has none of it', async () => {
    const gate = new Gate();
    const wait = new LedgerTool('look', { act: () => gate.arrive() });
    const script = (_: unknown, n: number): ClientStep[] => (n === 1 ? looks('let me see') : answers());
    const house = open({ script, tools: [wait] });
    const session = await forked(house);
    const run = await house.start('two', { session });
    await gate.reached;
    await house.clear({ session });
    gate.open();
    await house.ended(run);
    expect(house.told(2)).toEqual([...SHARED, 'user two', 'assistant let me see', 'tool ']);
    for (const next of [house, open({ script: answers })]) {
      const fork = await next.fork(session);
      await next.run('three', { session: fork });
      expect(next.told(-1)).toEqual(['user three']);
    }
    await house.run('four', { session });
    expect(house.told(-1)).toEqual(['user four']);
  });

  it('waits its turn in the fork, and is steered there', async () => {
    const gate = new Gate();
    const script = (_: unknown, n: number): ClientStep[] => (n === 1 ? [text('a'), gate, done()] : answers());
    const house = open({ script });
    const session = await forked(house);
    await house.start('two', { session });
    await gate.reached;
    await house.start('steers', { session, onBusy: 'steer' });
    const last = await house.start('three', { session });
    gate.open();
    await house.ended(last);
    const own = ['user two', 'assistant a', 'user steers', 'assistant ok', 'user three'];
    expect(house.told(-1)).toEqual([...SHARED, ...own]);
  });
});

describe('a line that is longer than a model could be told', () => {
  const long = 'x'.repeat(24_000);
  const runOf = (tape: SessionTape, run: string) =>
    tape.addRun(run, `message of ${run}`, responseStart, response(long), turn(), step(1), completed);

  it('is read back only as far as that, across its sessions', async () => {
    const tape = new SessionTape().add(undefined, opened);
    for (let i = 0; i < 200; i++) runOf(tape, `run_ses_long_${i}`);
    await appendTape(temp, 'ses_long', tape);
    const house = open({ script: () => [text(long), done()] });
    let session: SessionId = 'ses_long';
    for (let depth = 0; depth < 4; depth++) {
      session = await house.fork(session);
      for (let n = 0; n < 3; n++) await house.run(`at ${depth} ${n}`, { session });
    }
    const cold = open({ script: answers });
    await cold.run('last', { session });
    const told = cold.told(0);
    expect(told.reduce((sum, message) => sum + message.length, 0)).toBeLessThan(410_000);
    // Its runs have summed up what is before them.
    expect(told[0]).toBe(`user ${long}`);
    expect(told).toContain('user at 3 2');
    expect(cold.log.eventsRead).toBeLessThan(tape.next / 2);
    const last = (await temp.read(sessionStream(session))).length - 1;
    const whole = await contextAsOf(temp.log, { session, at: last });
    expect(whole[0]).toMatchObject({ role: 'user', content: long });
    expect(whole.length).toBeLessThan(30);
  });

  it('is read no further than the fork where that is enough', async () => {
    const house = open({ script: answers });
    const session = await house.fork('ses_long');
    const tape = new SessionTape().add(undefined, opened);
    for (let i = 0; i < 80; i++) runOf(tape, `run_${session}_${i}`);
    await appendTape(temp, session, { events: tape.events.slice(1) });
    const cold = open({ script: answers });
    const hold = { prefix: sessionStream('ses_long'), passed: 9, gate: new Gate() };
    cold.log.hold = hold;
    const told = await contextAsOf(cold.log, { session, at: tape.next - 1 }, unweighed, 1_000_000);
    expect(told.length).toBeGreaterThan(20);
    // Counted down by each reading.
    expect(hold.passed).toBe(9);
  });
});
