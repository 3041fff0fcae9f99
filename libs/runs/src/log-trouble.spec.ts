import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LogUnavailable } from '#event-log';
import { House, type HouseOptions } from '../../../test/support/house.js';
import { answerLost, lost, stored, unavailable } from '../../../test/support/scripted-log.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { type ClientStep, done, text } from '../../../test/support/scripted-client.js';
import { SessionTape, opened, requested } from '../../../test/support/session-tape.js';
import { TempLog, appendTape } from '../../../test/support/temp-log.js';

let temp: TempLog;
let count = 0;
const open = (options: HouseOptions) => new House(temp, `trouble ${++count}`, options);
const answers = (): ClientStep[] => [text('ok'), done()];

beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

describe('a log in trouble', () => {
  it('does not end a run under way: what it said is written when the log is well', async () => {
    const gate = new Gate();
    const house = open({ script: () => [text('6 x'), gate, text(' 7'), done()] });
    const started = await house.start('hi');
    await gate.reached;
    await house.heard(started.session, (e) => e.type === 'agent_response');
    house.log.next(unavailable, lost, answerLost);
    gate.open();
    for (let i = 0; i < 3; i++) await house.clock.pass(5_000);
    expect((await house.ended(started)).type).toBe('agent_completed');
    expect(await house.history(started.session)).toEqual(['user_message hi', 'agent_response 6 x 7']);
    expect(house.model.requests).toHaveLength(1);
  });

  it('lets a run wait whose context cannot be read, without asking in a circle', async () => {
    const house = open({ script: answers });
    const { session } = await house.run('one');
    await house.clear({ session });
    await house.settled();
    house.log.isReadable = false;
    const second = await house.start('two', { session });
    for (let i = 0; i < 3; i++) await house.clock.pass(1_000);
    await house.clock.timerWithin(1_000);
    expect(house.log.reads).toBe(4);
    house.log.isReadable = true;
    house.clock.advance(1_000);
    expect((await house.ended(second)).type).toBe('agent_completed');
    expect(house.told(1)).toEqual(['user two']);
    expect(house.model.requests).toHaveLength(2);
  });

  it('lets a run that waits its turn be claimed later', async () => {
    const gate = new Gate();
    const house = open({ script: (_, n) => (n === 0 ? [gate, done()] : answers()) });
    const first = await house.start('one');
    const second = await house.start('two', { session: first.session });
    await gate.reached;
    house.log.next(stored, unavailable, unavailable);
    gate.open();
    const ended = house.ended(second);
    while (typeof (await Promise.race([ended, house.clock.pass(1_000)])) === 'number');
    expect((await ended).type).toBe('agent_completed');
    await house.settled();
    expect((await house.types(first.session)).filter((t) => t === 'run_claimed')).toHaveLength(2);
    expect(house.core.admission.running).toBe(0);
  });

  it('lets a run wait whose request cannot be read, without asking in a circle', async () => {
    const session = 'ses_unreadable';
    const waiting = { session, run: `run_${session}_a`, requested: 1 };
    const tape = new SessionTape().add(undefined, opened).add(waiting.run, requested('two'));
    await appendTape(temp, session, tape);
    const gate = new Gate();
    const house = open({ script: (_, n) => (n === 0 ? [gate, done()] : answers()), maxRuns: 1 });
    const first = await house.start('one');
    await house.core.recovery.resume(session);
    expect(house.core.admission).toMatchObject({ running: 1, waiting: 1 });
    house.log.isReadable = false;
    const before = house.log.reads;
    gate.open();
    await house.ended(first);
    for (let i = 0; i < 3; i++) await house.clock.pass(1_000);
    await house.clock.timerWithin(1_000);
    expect(house.log.reads - before).toBe(4);
    house.log.isReadable = true;
    house.clock.advance(1_000);
    expect((await house.ended(waiting)).type).toBe('agent_completed');
  });

  it('refuses clears and cancels, honestly: nothing of them is stored', async () => {
    const house = open({ script: answers });
    const { session } = await house.run('one');
    await house.settled();
    house.log.next(unavailable);
    const refused = house.clear({ session }).catch((error: unknown) => error);
    await house.clock.pass(1_000);
    expect(await refused).toBeInstanceOf(LogUnavailable);
    expect(await house.types(session)).not.toContain('messages_cleared');
  });
});
