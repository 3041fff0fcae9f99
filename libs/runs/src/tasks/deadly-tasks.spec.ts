import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lastFiring, taskStream } from '#domain';
import { MemoryFileStore } from '#vault';
import { Attempts } from '#platform';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { TaskHouse, readTasks } from '../../../../test/support/task-house.js';
import { TempLog } from '../../../../test/support/temp-log.js';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 15, 12);

/** Of the work whose names begin so, processes have ended. */
class EndedProcesses extends Attempts {
  begun = '';
  private deadly = new Set<string>();

  constructor(private readonly kind: string) {
    super();
  }

  override deaths(key: string): number {
    return key.startsWith(this.kind) && !this.deadly.has(key) ? 3 : 0;
  }
  override begin(key: string): Promise<void> {
    this.begun = key;
    return Promise.resolve();
  }
  override end(key: string): Promise<void> {
    this.deadly.add(key);
    return Promise.resolve();
  }
}

describe('a task at whose firing processes ended', () => {
  let temp: TempLog;
  let clock: ManualClock;
  beforeEach(async () => {
    temp = await TempLog.open();
    clock = new ManualClock(START);
  });
  afterEach(() => temp.close());

  const rest = async (): Promise<void> => {
    for (let turn = 0; turn < 12; turn += 1) {
      await temp.read('none');
      await new Promise(setImmediate);
    }
  };
  const pass = async (ms: number): Promise<void> => {
    const until = clock.now() + ms;
    for (await rest(); clock.now() < until; await rest()) {
      const [next = Infinity] = clock.pending;
      clock.advance(Math.min(next, until - clock.now()));
    }
  };
  const stateOf = async (task: string) => (await readTasks(temp)).tasks.get(task)?.state ?? null;

  /** @returns the task, once a minute, and its house when the first slot has passed */
  async function fired(kind: string): Promise<{ house: TaskHouse; task: string }> {
    const attempts = new EndedProcesses(kind);
    const house = new TaskHouse(temp, clock, new MemoryFileStore(), { boot: 'h', attempts });
    house.clockwork.start();
    const { tasks } = await house.start([{ schedule: '* * * * *', message: 'a' }]);
    await pass(MINUTE + 100);
    return { house, task: tasks[0] ?? '' };
  }

  it('is paused where they started its run, which is started no more; whoever resumes it has the next slot', async () => {
    const { house, task } = await fired('firing/');
    const state = await stateOf(task);
    expect([state?.status, state?.firings]).toMatchObject(['paused', [{ failure: 'deadly' }]]);
    const run = state === null ? '' : (lastFiring(state)?.run ?? '');
    expect(house.errors).toMatchObject([{ task, reason: 'deadly', run }]);
    await pass(3 * MINUTE);
    expect((await temp.typesOf(taskStream(task))).filter((type) => type === 'task_fired')).toHaveLength(1);
    expect((await readTasks(temp)).runs.has(run)).toBe(false);
    house.leave();
  });

  it('is paused where they looked at what its last firing came to, and goes on when it is resumed', async () => {
    const { house, task } = await fired('task/');
    expect((await stateOf(task))?.firings).toMatchObject([{ slot: START + MINUTE }]);
    await pass(MINUTE);
    const state = await stateOf(task);
    const failed = { slot: START + 2 * MINUTE, run: null, failure: 'deadly' };
    expect([state?.status, state?.firings.length, state?.firings.at(-1)]).toMatchObject([
      'paused',
      2,
      failed,
    ]);
    await house.core.tasks.command(task, 'resume', { project: 'p', actor: 'key_1' });
    await pass(2 * MINUTE);
    expect((await stateOf(task))?.firings.map(({ failure }) => failure)).toEqual([
      undefined,
      'deadly',
      undefined,
      undefined,
    ]);
    house.leave();
  });
});
