import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StartedRun } from './start/start-run-request.js';
import { CALLER, House } from '../../../test/support/house.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { type ClientStep, done, text } from '../../../test/support/scripted-client.js';
import { TempLog } from '../../../test/support/temp-log.js';
import { RunAdmission } from './admission.js';

describe('admission', () => {
  it('gives as many places as there are, and one that is held again to its holder', () => {
    const admission = new RunAdmission(2);
    expect(['a', 'b', 'c', 'a'].map((run) => admission.tryTake(run))).toEqual([true, true, false, true]);
    expect(admission.running).toBe(2);
  });

  /** A run that waits takes its place when it is called. */
  function waits(admission: RunAdmission, woken: string[], run: string): void {
    const wake = () => {
      woken.push(run);
      admission.takeOrWait(run, wake);
    };
    expect(admission.takeOrWait(run, wake)).toBe(false);
  }

  it('calls who waits in turn, one for each place that becomes free', () => {
    const admission = new RunAdmission(1);
    const woken: string[] = [];
    admission.tryTake('a');
    for (const run of ['b', 'c']) waits(admission, woken, run);
    expect(admission.waiting).toBe(2);
    admission.release('a');
    expect(woken).toEqual(['b']);
    admission.release('b');
    expect(woken).toEqual(['b', 'c']);
    expect(admission).toMatchObject({ running: 1, waiting: 0 });
  });

  it('passes a place on that who was called has no use for', () => {
    const admission = new RunAdmission(1);
    const woken: string[] = [];
    admission.tryTake('a');
    admission.takeOrWait('b', () => woken.push('b'));
    for (const run of ['c', 'd']) waits(admission, woken, run);
    admission.release('a');
    expect(woken).toEqual(['b', 'c']);
    expect(admission).toMatchObject({ running: 1, waiting: 1 });
  });

  it('does not call for the release of a run that held no place', () => {
    const admission = new RunAdmission(1);
    const woken: string[] = [];
    admission.tryTake('a');
    admission.takeOrWait('b', () => woken.push('b'));
    admission.release('x');
    expect(woken).toEqual([]);
    admission.release('b');
    admission.release('a');
    expect(woken).toEqual([]);
  });

  it('refuses one more where four wait for each place', () => {
    const admission = new RunAdmission(1);
    admission.requireRoom();
    admission.tryTake('a');
    for (const run of ['b', 'c', 'd', 'e']) {
      admission.requireRoom();
      admission.takeOrWait(run, () => {});
    }
    expect(() => admission.requireRoom()).toThrow('4 runs wait for room');
    admission.release('a');
    expect(() => admission.requireRoom()).not.toThrow();
  });
});

describe('admission of several projects', () => {
  /** A run that takes its place when it is called, and notes the order. */
  function waiting(admission: RunAdmission, order: string[], project: string, run: string): boolean {
    const wake = () => {
      order.push(run);
      admission.takeOrWait(run, wake, project);
    };
    return admission.takeOrWait(run, wake, project);
  }

  it("gives the next place to the one run of b, behind a thousand of a's", () => {
    for (const places of [1, 2, 7]) {
      const admission = new RunAdmission(places);
      const order: string[] = [];
      for (let n = 0; n < places; n++) admission.tryTake(`a${n}`, 'a');
      for (let n = places; n < 1_000; n++) waiting(admission, order, 'a', `a${n}`);
      expect(waiting(admission, order, 'b', 'b')).toBe(false);
      admission.release('a0');
      expect(order).toEqual(['b']);
      admission.release('b');
      expect(order).toEqual(['b', `a${places}`]);
    }
  });

  it('goes round, whoever began, and each project keeps its order', () => {
    const admission = new RunAdmission(1);
    const order: string[] = [];
    admission.tryTake('first', 'a');
    for (const run of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) waiting(admission, order, run[0]!, run);
    admission.release('first');
    for (let n = 0; n < 6; n++) admission.release(order[n]!);
    expect(order).toEqual(['b1', 'c1', 'a1', 'b2', 'a2', 'a3']);
    expect(admission).toMatchObject({ running: 0, waiting: 0 });
  });

  it('lets a project have its share of places and no more, also where others are free', () => {
    const admission = new RunAdmission(10, () => true, { maxRuns: 2 });
    const order: string[] = [];
    expect(['a1', 'a2', 'a3', 'b1'].map((run) => waiting(admission, order, run[0]!, run))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    admission.release('b1');
    expect(order).toEqual([]);
    admission.release('a1');
    expect(order).toEqual(['a3']);
  });

  it('lets a project wait that has not its part of those that do, although the queue is full', () => {
    const admission = new RunAdmission(2);
    for (const run of ['a1', 'a2']) admission.tryTake(run, 'a');
    for (let n = 0; n < 8; n++) {
      admission.requireRoom('a');
      waiting(admission, [], 'a', `more ${n}`);
    }
    expect(() => admission.requireRoom('a')).toThrow('8 runs wait for room');
    for (let n = 0; n < 8; n++) {
      admission.requireRoom('b');
      waiting(admission, [], 'b', `b${n}`);
    }
    // Each of the two has its part now, and a third one has none.
    expect(() => admission.requireRoom('b')).toThrow('16 runs wait for room');
    admission.requireRoom('c');
  });

  it('counts what waits behind another run, too, and what is being written', () => {
    const { queued } = new RunAdmission(10, () => true, { maxQueued: 3 });
    queued.note('session_1', 'a', 2);
    const leave = queued.enter('a');
    expect(() => queued.requireShare('a')).toThrow(/^3 runs of this project wait already \(MAX_QUEUED/);
    queued.requireShare('b');
    leave();
    queued.note('session_2', 'a', 1);
    expect(() => queued.enter('a')).toThrow('3 runs');
    queued.note('session_1', 'a', 0);
    // Erased: nobody knows whose it was.
    queued.note('session_2', null, 0);
    expect(queued.of('a')).toBe(0);
  });
});

describe('a service that is full', () => {
  let temp: TempLog;
  beforeAll(async () => {
    temp = await TempLog.open();
  });
  afterAll(() => temp.close());

  it('lets runs wait, in new sessions and in those that are there, and drives each in its turn', async () => {
    const gates: Gate[] = [];
    const script = (): ClientStep[] => {
      const gate = new Gate();
      gates.push(gate);
      return [text('ok'), gate, done()];
    };
    const house = new House(temp, 'full', { script, maxRuns: 2 });
    const runs: StartedRun[] = [];
    for (let i = 0; i < 6; i++) runs.push(await house.start(`${i}`));
    runs.push(await house.start('more', { session: runs[5]!.session }));
    await house.model.asked(2);
    expect(house.core.admission).toMatchObject({ running: 2, waiting: 4 });
    for (let i = 0; i < runs.length; i++) {
      await house.model.asked(i + 1);
      expect(house.core.admission.running).toBeLessThanOrEqual(2);
      await gates[i]!.reached;
      gates[i]!.open();
    }
    for (const run of runs) expect((await house.ended(run)).type).toBe('agent_completed');
    await house.settled();
    expect(house.core.admission).toMatchObject({ running: 0, waiting: 0 });
    const order = house.model.requests.map((r) => r.messages.findLast((m) => m.role === 'user')?.content);
    expect(order).toEqual(['0', '1', '2', '3', '4', '5', 'more']);
  });

  it('refuses with rate_limited where too many wait, and nothing is on the log', async () => {
    const gate = new Gate();
    const house = new House(temp, 'refusing', { script: () => [gate, done()], maxRuns: 1 });
    const runs: StartedRun[] = [];
    for (let i = 0; i < 5; i++) runs.push(await house.start(`${i}`));
    const before = house.log.appends.length;
    await expect(house.start('late')).rejects.toMatchObject({
      code: 'rate_limited',
      more: { retryAfterS: 5 },
    });
    expect(house.log.appends).toHaveLength(before);
    gate.open();
    for (const run of runs) expect((await house.ended(run)).type).toBe('agent_completed');
  });

  it('refuses what is too much of one project, behind a run of the same session, too', async () => {
    const gate = new Gate();
    const script = () => [gate, done()];
    const house = new House(temp, 'shares', { script, maxRuns: 10, shares: { maxQueued: 3 } });
    const first = await house.start('one');
    const { session } = first;
    const runs = [first];
    for (let n = 0; n < 3; n++) runs.push(await house.start(`more ${n}`, { session }));
    const refused = { code: 'rate_limited', more: { retryAfterS: 5 } };
    await expect(house.start('one too many', { session })).rejects.toMatchObject(refused);
    // What can begin at once does not wait.
    runs.push(await house.start('elsewhere'));
    gate.open();
    for (const run of runs) expect((await house.ended(run)).type).toBe('agent_completed');
    runs.push(await house.start('again', { session }));
    expect((await house.ended(runs.at(-1)!)).type).toBe('agent_completed');
    await house.settled();
    expect(house.core.admission.queued.of(CALLER.project)).toBe(0);
  });

  it('forgets the wait of a run that is cancelled before its turn', async () => {
    const gate = new Gate();
    const house = new House(temp, 'cancelling', { script: () => [gate, done()], maxRuns: 1 });
    const first = await house.start('one');
    const second = await house.start('two');
    const third = await house.start('three');
    await house.cancel(second);
    gate.open();
    expect((await house.ended(first)).type).toBe('agent_completed');
    expect((await house.ended(second)).type).toBe('agent_cancelled');
    expect((await house.ended(third)).type).toBe('agent_completed');
    await house.settled();
    expect(house.core.admission).toMatchObject({ running: 0, waiting: 0 });
    expect(house.model.requests).toHaveLength(2);
  });
});
