import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NO_SESSION, type Problem } from '#domain';
import type { StartedRun } from './start/start-run-request.js';
import { CALLER, House } from '../../../test/support/house.js';
import { unavailable } from '../../../test/support/scripted-log.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { done } from '../../../test/support/scripted-client.js';
import { TempLog } from '../../../test/support/temp-log.js';
import { RunAdmission } from './admission.js';

describe('a burst of requests, none of which is on the log when the last has come', () => {
  let temp: TempLog;
  beforeAll(async () => {
    temp = await TempLog.open();
  });
  afterAll(() => temp.close());

  it('lets each project have its part, and counts none that has a place', () => {
    const admission = new RunAdmission(2);
    const enter = (run: string, hasRoom = false) =>
      admission.enter({ run, project: run[0]!, hasRoom }, `ses_${run}`, NO_SESSION);
    for (const run of ['a1', 'a2']) {
      admission.tryTake(run, 'a');
      enter(run, true);
    }
    const leaves = Array.from({ length: 8 }, (_, n) => enter(`a more ${n}`));
    expect(() => enter('a9')).toThrow('8 runs wait for room');
    leaves.push(...Array.from({ length: 8 }, (_, n) => enter(`b${n}`)));
    expect(() => enter('b9')).toThrow('16 runs wait for room');
    leaves.push(enter('c1'));
    for (const leave of leaves) leave();
    for (let n = 0; n < 8; n++) enter(`a again ${n}`);
    expect(() => enter('a9')).toThrow('8 runs wait for room');
  });

  /** What each came to, in its order: a run, or the code of its refusal. */
  const outcomesOf = (asked: readonly Promise<StartedRun>[]): Promise<(StartedRun | string)[]> =>
    Promise.all(asked.map((one) => one.catch((error: unknown) => (error as Problem).code)));
  const startedOf = (outcomes: readonly (StartedRun | string)[]): StartedRun[] =>
    outcomes.filter((outcome) => typeof outcome !== 'string');

  it('may not wait in greater number than one after the other', async () => {
    const gate = new Gate();
    const house = new House(temp, 'burst', { script: () => [gate, done()], maxRuns: 1 });
    const outcomes = await outcomesOf(Array.from({ length: 30 }, (_, n) => house.start(`${n}`)));
    const runs = startedOf(outcomes);
    expect(runs).toHaveLength(5);
    expect(outcomes.filter((outcome) => outcome === 'rate_limited')).toHaveLength(25);
    expect(house.core.admission).toMatchObject({ running: 1, waiting: 4 });
    gate.open();
    for (const run of runs) expect((await house.ended(run)).type).toBe('agent_completed');
    await house.settled();
    house.core.admission.requireRoom(CALLER.project);
    expect(house.core.admission).toMatchObject({ running: 0, waiting: 0 });
  });

  it('counts a session once, however much comes to it', async () => {
    const gate = new Gate();
    const house = new House(temp, 'one session', {
      script: () => (house.model.requests.length === 1 ? [done()] : [gate, done()]),
      maxRuns: 1,
    });
    const { session } = await house.run('opens it');
    const other = await house.start('takes the place');
    const burst = Array.from({ length: 30 }, (_, n) => house.start(`${n}`, { session }));
    const runs = startedOf(await outcomesOf(burst));
    expect(runs).toHaveLength(30);
    expect(house.core.admission).toMatchObject({ running: 1, waiting: 1 });
    gate.open();
    for (const run of [other, ...runs]) expect((await house.ended(run)).type).toBe('agent_completed');
  });

  it('gives back what was counted for a request that the log does not take', async () => {
    const gate = new Gate();
    const house = new House(temp, 'given back', { script: () => [gate, done()], maxRuns: 1 });
    const first = await house.start('first');
    house.log.next(unavailable, unavailable, unavailable, unavailable);
    const failing = outcomesOf(Array.from({ length: 4 }, () => house.start('not taken')));
    await expect(house.start('one too many')).rejects.toMatchObject({ code: 'rate_limited' });
    await house.clock.pass(200);
    expect(startedOf(await failing)).toEqual([]);
    const runs = startedOf(await outcomesOf(Array.from({ length: 5 }, () => house.start('taken'))));
    expect(runs).toHaveLength(4);
    gate.open();
    for (const run of [first, ...runs]) expect((await house.ended(run)).type).toBe('agent_completed');
  });

  it('lets a key be repeated that has its place in the queue already', async () => {
    const gate = new Gate();
    const house = new House(temp, 'repeated', { script: () => [gate, done()], maxRuns: 1 });
    const runs = [await house.start('first')];
    for (let n = 0; n < 3; n++) runs.push(await house.start('waits'));
    const idempotency = { key: 'twice at once', payload: 'same' };
    const twins = startedOf(
      await outcomesOf([1, 2, 3].map(() => house.start('the fourth that waits', { idempotency }))),
    );
    expect(twins).toHaveLength(3);
    expect(new Set(twins.map(({ run }) => run)).size).toBe(1);
    expect(house.core.admission.waiting).toBe(4);
    gate.open();
    for (const run of [...runs, twins[0]!]) expect((await house.ended(run)).type).toBe('agent_completed');
  });
});
