import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sessionStream, taskStream } from '#domain';
import { MemoryFileStore } from '#vault';
import { newEvent } from '#event-log';
import { SystemRandom } from '#platform';
import { Gate } from '../../../../test/support/scripted-turn.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { done } from '../../../../test/support/scripted-client.js';
import { TaskHouse, type TaskHouseOptions, readTasks } from '../../../../test/support/task-house.js';
import { TempLog } from '../../../../test/support/temp-log.js';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 15, 12);

describe('the clock of the tasks', () => {
  let temp: TempLog;
  let clock: ManualClock;
  let files: MemoryFileStore;
  let houses = 0;
  const opened: TaskHouse[] = [];
  beforeEach(async () => {
    temp = await TempLog.open();
    clock = new ManualClock(START);
    files = new MemoryFileStore();
  });
  afterEach(async () => {
    const houses = opened.splice(0);
    for (const house of houses) house.leave();
    expect(houses.flatMap(({ errors }) => errors)).toEqual([]);
    await temp.close();
  });

  const open = (options: Omit<TaskHouseOptions, 'boot'> = {}): TaskHouse => {
    const house = new TaskHouse(temp, clock, files, { boot: `h${(houses += 1)}`, ...options });
    opened.push(house);
    return house;
  };
  const rest = async (): Promise<void> => {
    for (let turn = 0; turn < 12; turn += 1) {
      await temp.read('none');
      await new Promise(setImmediate);
    }
  };
  /** Lets so much time pass, each timer in its turn, and the log answer in between. */
  const pass = async (ms: number): Promise<void> => {
    const until = clock.now() + ms;
    for (await rest(); clock.now() < until; await rest()) {
      const [next = Infinity] = clock.pending;
      clock.advance(Math.min(next, until - clock.now()));
    }
  };
  /** Each slot of each task fired or was missed, once, in order; each firing has its run, once. */
  const check = async (): Promise<{ fired: number; missed: number }> => {
    const { tasks, runs, events } = await readTasks(temp);
    const seen = { fired: 0, missed: 0 };
    for (const [task, { state }] of tasks) {
      expect(state).not.toBeNull();
      const slots: number[] = [];
      for (const { type, data, stream } of events.filter((e) => e.stream === taskStream(task))) {
        expect(stream).toBe(taskStream(task));
        if (type === 'task_missed') slots.push(...(data as { slots: number[] }).slots);
        if (type !== 'task_fired') continue;
        const { slot, run } = data as { slot: number; run: string };
        slots.push(slot);
        expect(runs.get(run)).toBe(1);
        seen.fired += 1;
      }
      expect(slots).toEqual([...new Set(slots)].toSorted((a, b) => a - b));
      seen.missed += slots.length;
    }
    seen.missed -= seen.fired;
    for (const [run, times] of runs) expect([run, times]).toEqual([run, 1]);
    return seen;
  };

  it('starts a run within a tenth of a second of its time, with the request that brought it', async () => {
    const house = open();
    house.clockwork.start();
    const { session, tasks, run } = await house.start([{ schedule: 60, message: 'later' }]);
    await pass(MINUTE + 100);
    const { events } = await readTasks(temp);
    const fired = events.find(({ type }) => type === 'task_fired');
    expect(fired?.stream).toBe(taskStream(tasks[0]!));
    expect((fired?.time ?? 0) - START - MINUTE).toBeLessThanOrEqual(100);
    const requests = (await temp.read(sessionStream(session))).filter((e) => e.type === 'run_requested');
    expect(requests[1]?.data).toMatchObject({ message: 'later', trigger: 'task', task: tasks[0] });
    expect(requests[1]?.data).toMatchObject({ config: { system: 's' } });
    expect(requests[1]?.data).not.toHaveProperty('schedules');
    expect(requests[0]?.meta.run).toBe(run);
    await check();
  });

  it('fires each slot once where two of them look at one log', async () => {
    const [one, other] = [open(), open()];
    one.clockwork.start();
    other.clockwork.start();
    await one.start([
      { schedule: '* * * * *', message: 'a' },
      { schedule: '*/2 * * * *', message: 'b' },
    ]);
    await other.start([{ schedule: '* * * * *', message: 'c' }]);
    await pass(10 * MINUTE + 1000);
    const { fired, missed } = await check();
    expect(fired + missed).toBe(25);
    expect(fired).toBeGreaterThan(20);
  });

  it('fires late, once, what came due while nobody was there, and says what was missed', async () => {
    const house = open();
    const { tasks } = await house.start([
      { schedule: '* * * * *', message: 'a' },
      { schedule: 90, message: 'b' },
    ]);
    await rest();
    house.kill();
    clock.advance(5 * MINUTE + 30_000);
    open().clockwork.start();
    await pass(1000);
    const seen = await readTasks(temp);
    const firingsOf = (i: number) =>
      seen.tasks.get(tasks[i]!)?.state?.firings.map(({ run, isLate }) => [run !== null, isLate]);
    const missed = [false, false];
    expect(firingsOf(0)).toEqual([missed, missed, missed, missed, [true, true]]);
    expect(firingsOf(1)).toEqual([[true, true]]);
    await check();
  });

  it('passes over an event that only a newer version knows, and hears of what comes behind it', async () => {
    const house = open();
    house.clockwork.start();
    await rest();
    const meta = { schemaVersion: 1, project: 'p', actor: 'key_1' };
    const id = new SystemRandom().uuid();
    const unknown = newEvent({ id, type: 'task_renamed', time: START, data: {} }, meta);
    await temp.log.append(taskStream('task_0'), [unknown], { expected: 'no_stream' });
    await pass(MINUTE);
    await house.start([{ schedule: 60, message: 'later' }]);
    await pass(MINUTE + 100);
    const { events } = await readTasks(temp);
    expect(events.filter(({ type }) => type === 'task_fired')).toHaveLength(1);
    expect(house.errors.splice(0)).toMatchObject([{ follower: 'task-clock', type: 'task_renamed' }]);
  });

  it.each([false, true])('goes on after a death at any append (stored: %p)', async (isStored) => {
    const schedules = [
      { schedule: '* * * * *', message: 'a' },
      { schedule: 61, message: 'b' },
    ];
    for (let n = 1; n <= 14; n += 1) {
      const house = open();
      house.log.diesAt = n;
      house.log.diesStored = isStored;
      house.clockwork.start();
      void house.start(schedules).catch(() => undefined);
      await pass(2 * MINUTE + 500);
      house.kill();
      const next = open();
      next.clockwork.start();
      // The runs that it left are another's to go on with.
      await pass(MINUTE);
      await check();
      for (const [task, { state }] of (await readTasks(temp)).tasks)
        if (state?.status === 'scheduled')
          await next.core.tasks.command(task, 'cancel', { project: 'p', actor: 'k' });
      next.kill();
    }
    const { fired } = await check();
    expect(fired).toBeGreaterThan(14);
  });

  it('passes the slots of a task that is paused', async () => {
    const house = open();
    house.clockwork.start();
    const { tasks } = await house.start([{ schedule: '* * * * *', message: 'a' }]);
    const command = (name: 'pause' | 'resume' | 'cancel') =>
      house.core.tasks.command(tasks[0]!, name, { project: 'p', actor: 'k' });
    await command('pause');
    await pass(3 * MINUTE);
    expect(await check()).toEqual({ fired: 0, missed: 0 });
    await command('resume');
    await pass(MINUTE);
    expect(await check()).toEqual({ fired: 1, missed: 0 });
    await command('cancel');
    await pass(3 * MINUTE);
    expect(await check()).toEqual({ fired: 1, missed: 0 });
    await expect(
      house.core.tasks.command(tasks[0]!, 'pause', { project: 'other', actor: 'k' }),
    ).rejects.toThrow('does not exist');
  });

  it('pauses a task whose key may act no more instead of firing it, and fires it again for who resumes it', async () => {
    const ended = new Set<string>();
    const house = open({ mayAct: (keyId) => !ended.has(keyId) });
    house.clockwork.start();
    const { session, tasks } = await house.start([{ schedule: '* * * * *', message: 'a' }]);
    const stream = taskStream(tasks[0]!);
    await pass(MINUTE + 100);
    ended.add('key_1');
    await pass(2 * MINUTE);
    expect(await check()).toEqual({ fired: 1, missed: 0 });
    expect((await temp.typesOf(stream)).at(-1)).toBe('task_paused');
    await house.core.tasks.command(tasks[0]!, 'resume', { project: 'p', actor: 'key_2' });
    await pass(MINUTE);
    expect(await check()).toEqual({ fired: 2, missed: 0 });
    const requests = (await temp.read(sessionStream(session))).filter((e) => e.type === 'run_requested');
    expect(requests.map(({ meta }) => meta.actor)).toEqual(['key_1', 'key_1', 'key_2']);
    ended.add('key_2');
    await pass(2 * MINUTE);
    expect(await check()).toEqual({ fired: 2, missed: 0 });
  });

  it('does not lose a task when reads of it lag behind what was heard', async () => {
    const house = open();
    house.clockwork.start();
    const { tasks } = await house.start([{ schedule: '* * * * *', message: 'a' }]);
    const stream = taskStream(tasks[0]!);
    const command = (name: 'pause' | 'resume') =>
      house.core.tasks.command(tasks[0]!, name, { project: 'p', actor: 'k' });
    await pass(1000);
    house.log.lag = { stream, upTo: -1, reads: [1, 2] };
    await pass(MINUTE + 3000);
    expect(await check()).toEqual({ fired: 1, missed: 0 });
    await command('pause');
    await command('resume');
    const paused = (await temp.typesOf(stream)).indexOf('task_paused');
    house.log.lag = { stream, upTo: paused, reads: [3, 4] };
    await pass(MINUTE + 3000);
    expect(await check()).toEqual({ fired: 2, missed: 0 });
  });

  it('tries again as seldom as clients are told to where there is no room, and says so once', async () => {
    const gates: Gate[] = [];
    const script = () => {
      gates.push(new Gate());
      return [gates.at(-1)!, done()];
    };
    const house = open({ maxRuns: 1, script });
    house.clockwork.start();
    await house.start([{ schedule: 60, message: 'later' }]);
    await rest();
    gates[0]?.open();
    for (let n = 0; n < 5; n += 1) await house.start([]);
    await pass(MINUTE);
    const warned = () => house.warnings.filter((warning) => warning === 'a task that fired has to wait');
    expect(warned()).toHaveLength(1);
    const asked = house.log.reads;
    await pass(MINUTE);
    expect(house.log.reads - asked).toBeLessThanOrEqual(5 * (MINUTE / 5_000));
    expect(warned()).toHaveLength(1);
    for (let n = 1; n < 7; n += 1) {
      await pass(6_000);
      gates[n]?.open();
    }
    await pass(6_000);
    expect(await check()).toEqual({ fired: 1, missed: 0 });
  });

  it('does not fire a slot again when the clock of the machine is set back', async () => {
    const house = open();
    house.clockwork.start();
    await house.start([{ schedule: '* * * * *', message: 'a' }]);
    await pass(2 * MINUTE + 500);
    const before = (await check()).fired;
    house.kill();
    clock = new ManualClock(START);
    open().clockwork.start();
    await pass(2 * MINUTE);
    expect((await check()).fired).toBe(before);
    await pass(MINUTE + 500);
    expect((await check()).fired).toBe(before + 1);
  });
});
