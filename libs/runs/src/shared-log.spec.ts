import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isEndType, sessionStream } from '#domain';
import { type AppendResult, LogUnavailable } from '#event-log';
import { CALLER, House, type HouseOptions } from '../../../test/support/house.js';
import { type ClientStep, done, text } from '../../../test/support/scripted-client.js';
import { heldBy, stored } from '../../../test/support/scripted-log.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { TempLog } from '../../../test/support/temp-log.js';
import { RunAdmission } from './admission.js';
import { SessionCommands } from './session-commands.js';

let temp: TempLog;
let count = 0;
const open = (options: HouseOptions) => new House(temp, `shared ${++count}`, options);
const answers = (): ClientStep[] => [text('ok'), done()];

beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

// What the simulation of several workers found, without it.
describe('two processes on one log', () => {
  it('end a run that the one cancels and only the other knows', async () => {
    const gate = new Gate();
    const driver = open({ script: (_, n) => (n === 1 ? [text('a'), gate, text('b'), 'hang'] : answers()) });
    const other = open({ script: answers });
    const { session } = await driver.run('one');
    await other.core.sessions.get(session);
    const second = await driver.start('two', { session });
    await gate.reached;
    const commands = new SessionCommands(other.core.sessions, { exclusive: false });
    await commands.cancel(second.run, CALLER);
    expect((await temp.read(sessionStream(session))).map((e) => e.type)).toContain('run_cancel_requested');
    gate.open();
    expect((await driver.ended(second)).type).toBe('agent_cancelled');
  });

  it('know of a run that the other had when they begin the next', async () => {
    const one = open({ script: answers });
    const other = open({ script: answers });
    const { session } = await one.run('one');
    await other.run('two', { session });
    await one.run('three', { session });
    expect(one.told(1)).toEqual(['user one', 'assistant ok', 'user two', 'assistant ok', 'user three']);
    const ends = (await temp.read(sessionStream(session))).filter((e) => isEndType(e.type));
    expect(ends).toHaveLength(3);
  });

  it('ask the model nothing of a run that the other has, where the log says so before the watch does', async () => {
    const one = open({ script: answers });
    const other = open({ script: answers });
    const { session } = await other.run('one');
    const gate = new Gate();
    // The first read finds the session, the second what the model is to be told.
    one.log.hold = { prefix: sessionStream(session), passed: 1, gate };
    const second = await one.start('two', { session });
    await gate.reached;
    const taker = open({ script: answers });
    await taker.core.recovery.resume(session);
    await taker.ended(second);
    await taker.run('three', { session });
    gate.open();
    expect(await one.clock.timerWithin(500)).toBe(500);
    expect(one.model.requests).toEqual([]);
    for (const active of one.core.sessions.active()) active.stop();
    one.clock.advance(500);
    await one.settled();
  });

  it('leave a run to the other that took it up before there was room for it here', async () => {
    const [busy, held] = [new Gate(), new Gate()];
    const gone = open({ script: () => [text('a'), 'hang'] });
    const full = open({ script: (_, n) => (n === 0 ? [busy, done()] : answers()), maxRuns: 1 });
    const other = open({ script: () => [held, ...answers()] });
    for (const { log } of [gone, full, other]) log.isShared = true;
    const run = await gone.start('left', {});
    for (const active of gone.core.sessions.active()) active.stop();
    const own = await full.start('own', {});
    await busy.reached;
    await full.core.recovery.resume(run.session);
    await other.core.recovery.resume(run.session);
    await held.reached;
    const known = await full.core.sessions.get(run.session);
    for (let turn = 0; turn < 30 && known.journal.state.current?.epoch !== 2; turn += 1)
      await known.journal.refresh();
    expect(known.journal.state.current?.epoch).toBe(2);
    busy.open();
    await full.ended(own);
    for (let turn = 0; turn < 30; turn += 1) await temp.read('nothing');
    held.open();
    await other.ended(run);
    const claims = (await temp.read(sessionStream(run.session))).filter(({ type }) => type === 'run_claimed');
    expect(claims).toHaveLength(2);
    expect(full.model.requests).toHaveLength(1);
  });
});

describe('a repeat that is refused', () => {
  it.each([true, false])('is not stored after that by its first try (shared: %p)', async (isShared) => {
    const [said, asked] = [new Gate(), new Gate()];
    const one = open({ script: (_, n) => (n === 1 ? [text('a'), asked, done()] : answers()) });
    const other = open({ script: answers });
    for (const { log } of [one, other]) log.isShared = isShared;
    const { session } = await one.run('before');
    let arrive: (() => Promise<AppendResult>) | undefined;
    one.log.next(stored, heldBy(said), stored, (store) => {
      arrive = store;
      return new Promise(() => undefined);
    });
    await one.start('hi', { session });
    await Promise.all([said.reached, asked.reached]);
    asked.open();
    const idempotency = { key: `late ${isShared}`, payload: 'reject' };
    const start = (house: House) => house.start('late', { session, onBusy: 'reject', idempotency });
    void start(one);
    for (let turn = 0; turn < 30; turn += 1) await temp.read('nothing');
    said.open();
    for (let turn = 0; turn < 30; turn += 1) await temp.read('nothing');
    // What is on its way now ends the one run and starts the other; the log has heard of neither.
    await expect(start(other)).rejects.toMatchObject({ code: 'session_busy' });
    expect(await arrive?.()).toMatchObject({ kind: isShared ? 'conflict' : 'appended' });
  });
});

describe('a refusal', () => {
  it.each([
    [true, 'key', true],
    [true, null, false],
    [false, 'key', false],
  ])(
    'is on the log where another try may arrive late (shared: %p, key: %p)',
    async (isShared, key, isWritten) => {
      const gate = new Gate();
      const house = open({ script: (_, n) => (n === 0 ? [gate, done()] : answers()) });
      house.log.isShared = isShared;
      const first = await house.start('hi', {});
      await gate.reached;
      const idempotency =
        key === null ? {} : { idempotency: { key: `first ${isShared}`, payload: 'reject' } };
      const { session } = first;
      const second = house.start('no', { session, onBusy: 'reject', ...idempotency });
      await expect(second).rejects.toMatchObject({ code: 'session_busy' });
      const types = (await temp.read(sessionStream(session))).map((e) => e.type);
      expect(types.includes('run_refused')).toBe(isWritten);
      gate.open();
      expect((await house.ended(first)).type).toBe('agent_completed');
    },
  );
});

describe('a repeat on another replica whose reads lag', () => {
  const key = { idempotency: { key: 'lagging', payload: { message: 'hi' } } };

  it.each([[[2]], [[1, 2]], [[1, 2, 4]]])(
    'finds its run or is told to come again (reads %j)',
    async (reads) => {
      const one = open({ script: answers });
      const { session } = await one.run('before');
      const more = { session, idempotency: { ...key.idempotency, key: `lagging ${reads.join()}` } };
      const first = await one.run('hi', more);
      // A session is read from its last claim on: it does not tell of the run any more.
      await one.run('later', { session });
      const other = open({ script: answers });
      other.log.lag = { stream: sessionStream(session), upTo: first.requested - 1, reads };
      const again = await other.start('hi', more).catch((error: unknown) => error);
      if (again instanceof Error) expect(again).toBeInstanceOf(LogUnavailable);
      else expect(again).toEqual(first);
      other.log.lag = null;
      expect(await other.start('hi', more)).toEqual(first);
      const requests = (await temp.read(sessionStream(session))).filter((e) => e.type === 'run_requested');
      expect(requests.map((e) => e.meta.run).filter((run) => run === first.run)).toHaveLength(1);
    },
  );
});

describe('a place that is free', () => {
  it('is the next one that waits, where the first does not want it any more', () => {
    const admission = new RunAdmission(1);
    const woken: string[] = [];
    admission.tryTake('a');
    for (const run of ['b', 'c', 'd'])
      admission.takeOrWait(run, () => {
        woken.push(run);
        if (run === 'c') admission.tryTake('c');
      });
    admission.release('a');
    expect(woken).toEqual(['b', 'c']);
    expect(admission.waiting).toBe(1);
  });
});
