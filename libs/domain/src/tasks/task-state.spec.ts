import { describe, expect, it } from '@jest/globals';
import { nextSlot, parseSchedule } from './schedule.js';
import type { TaskEvent } from './task-events.js';
import { firingRun, isTaskId, taskId } from './task-ids.js';
import { type TaskState, decideDue, decideTask, evolveTask, lastFiring } from './task-state.js';

const NOW = Date.UTC(2026, 0, 15, 12);
const MINUTE = 60_000;
const runOf = (slot: number): string => `run_${slot}`;

class Tape {
  state: TaskState | null = null;
  private revision = -1;

  constructor(given: number | string) {
    const schedule = parseSchedule(given, undefined, NOW);
    const data = { given, schedule, next_at: nextSlot(schedule, NOW) ?? 0, message: 'm' };
    const more = { task: 'task_1', session: 'ses_1', run: 'run_ses_1_a', requested: 1 };
    this.push(NOW, { type: 'task_scheduled', data: { ...data, ...more } });
  }

  push(time: number, ...events: readonly TaskEvent[]): this {
    return this.pushAs('k', time, events);
  }

  pushAs(actor: string, time: number, events: readonly TaskEvent[]): this {
    for (const event of events) {
      const at = { revision: ++this.revision, time, meta: { project: 'p', actor } };
      this.state = evolveTask(this.state, { ...event, ...at });
    }
    return this;
  }

  due(now: number, isBusy = false) {
    return decideDue(this.state as TaskState, now, isBusy, runOf);
  }

  command(name: 'pause' | 'resume' | 'cancel', now: number): this {
    return this.push(now, ...decideTask(this.state as TaskState, name, now));
  }

  fire(now: number, isBusy = false): this {
    return this.push(now, ...(this.due(now, isBusy)?.events ?? []));
  }
}

describe('a task', () => {
  it('that fires once is finished by its firing', () => {
    const tape = new Tape(60);
    expect(tape.due(NOW + MINUTE - 1)).toBeNull();
    const slot = NOW + MINUTE;
    expect(tape.due(slot)).toEqual({
      events: [
        { type: 'task_fired', data: { slot, run: runOf(slot), next_at: null } },
        { type: 'task_finished', data: {} },
      ],
      fires: { slot, run: runOf(slot) },
    });
    expect(tape.fire(slot).state).toMatchObject({ status: 'finished', nextAt: null });
    expect(tape.due(slot + MINUTE)).toBeNull();
  });

  it('that was due while nobody looked fires its newest slot, late, and the others were missed', () => {
    const tape = new Tape('* * * * *').fire(NOW + 5 * MINUTE + 2000);
    const { firings = [] } = tape.state ?? {};
    const minutes = firings.map(({ slot, run, isLate }) => [(slot - NOW) / MINUTE, run !== null, isLate]);
    expect(minutes).toEqual([
      [1, false, false],
      [2, false, false],
      [3, false, false],
      [4, false, false],
      [5, true, true],
    ]);
    expect(tape.state?.nextAt).toBe(NOW + 6 * MINUTE);
  });

  it('does not fire while its last run waits or runs', () => {
    const tape = new Tape('* * * * *').fire(NOW + MINUTE).fire(NOW + 2 * MINUTE, true);
    expect(tape.state?.firings.map(({ run }) => run)).toEqual([runOf(NOW + MINUTE), null]);
    expect(lastFiring(tape.state as TaskState)?.slot).toBe(NOW + MINUTE);
    expect(tape.fire(NOW + 3 * MINUTE).state?.firings.at(-1)?.run).toBe(runOf(NOW + 3 * MINUTE));
  });

  it('that is given up is paused; its firing, or the slot that did not fire, says why', () => {
    const started = new Tape('* * * * *').fire(NOW + MINUTE);
    const run = lastFiring(started.state as TaskState)?.run ?? '';
    started.push(NOW + MINUTE, { type: 'task_paused', data: { reason: 'deadly', run } });
    expect(started.state).toMatchObject({ status: 'paused', nextAt: null });
    expect(started.state?.firings).toEqual([
      { slot: NOW + MINUTE, firedAt: NOW + MINUTE, run, isLate: false, failure: 'deadly' },
    ]);
    const looked = new Tape('* * * * *').fire(NOW + MINUTE);
    looked.push(NOW, { type: 'task_paused', data: { reason: 'deadly', slot: NOW + 2 * MINUTE } });
    const missed = { slot: NOW + 2 * MINUTE, firedAt: null, run: null, isLate: false, failure: 'deadly' };
    expect(looked.state?.firings.at(-1)).toEqual(missed);
    expect(looked.state?.firings[0]).not.toHaveProperty('failure');
    expect(looked.command('resume', NOW + 3 * MINUTE).state).toMatchObject({ status: 'scheduled' });
  });

  it('that is over stays over when its last firing is given up', () => {
    const tape = new Tape(60).fire(NOW + MINUTE);
    const run = lastFiring(tape.state as TaskState)?.run ?? '';
    tape.push(NOW + MINUTE, { type: 'task_paused', data: { reason: 'deadly', run } });
    expect(tape.state).toMatchObject({ status: 'finished', nextAt: null, firings: [{ failure: 'deadly' }] });
  });

  it('that is paused passes its slots, which do not fire later', () => {
    const tape = new Tape('* * * * *').command('pause', NOW + 1000);
    expect(tape.state).toMatchObject({ status: 'paused', nextAt: null });
    expect(tape.due(NOW + 10 * MINUTE)).toBeNull();
    tape.command('resume', NOW + 10 * MINUTE + 1);
    expect(tape.state).toMatchObject({ status: 'scheduled', nextAt: NOW + 11 * MINUTE, firings: [] });
  });

  it('that fires once and is resumed after its time is finished', () => {
    const tape = new Tape(60).command('pause', NOW).command('resume', NOW + 2 * MINUTE);
    expect(tape.state).toMatchObject({ status: 'finished', firings: [] });
  });

  it('that is resumed by a clock that lags goes on behind what has fired', () => {
    const tape = new Tape('* * * * *').fire(NOW + 2 * MINUTE);
    tape.command('pause', NOW + 2 * MINUTE).command('resume', NOW + 30_000);
    expect(tape.state?.nextAt).toBe(NOW + 3 * MINUTE);
  });

  it('takes each command as often as it comes, and none after its end', () => {
    const tape = new Tape(60).command('pause', NOW).command('cancel', NOW);
    expect(tape.state?.revision).toBe(2);
    for (const name of ['pause', 'resume', 'cancel'] as const)
      expect(decideTask(tape.state as TaskState, name, NOW)).toEqual([]);
    expect(tape.state?.status).toBe('cancelled');
  });

  it('is its scheduler’s, whoever pauses and resumes it, until its key is no more: then it is the resumer’s', () => {
    const tape = new Tape('* * * * *');
    const as = (actor: string, name: 'pause' | 'resume', isOrphan = false) =>
      tape.pushAs(actor, NOW, decideTask(tape.state as TaskState, name, NOW, isOrphan));
    as('other', 'pause');
    as('other', 'resume');
    expect(tape.state?.actor).toBe('k');
    as('other', 'pause');
    as('other', 'resume', true);
    expect(tape.state?.actor).toBe('other');
    const due = decideDue(tape.state as TaskState, NOW + MINUTE, false, runOf);
    tape.pushAs('other', NOW + MINUTE, due?.events ?? []);
    as('third', 'pause');
    expect(tape.state?.actor).toBe('other');
  });

  it('keeps the newest hundred firings', () => {
    const tape = new Tape('* * * * *');
    for (let minute = 1; minute <= 250; minute += 1) tape.fire(NOW + minute * MINUTE);
    expect(tape.state?.firings).toHaveLength(100);
    expect(tape.state?.firings.at(-1)?.slot).toBe(NOW + 250 * MINUTE);
  });

  it('whose clock is set back does not fire a slot again', () => {
    const tape = new Tape('* * * * *').fire(NOW + 5 * MINUTE);
    for (let minute = 0; minute < 6; minute += 1) expect(tape.due(NOW + minute * MINUTE)).toBeNull();
  });

  it.each([1, 2, 3, 5, 10, 100, 1440])(
    'fires or misses every slot once, whoever looks every %p minutes',
    (step) => {
      const tape = new Tape('*/7 * * * *');
      const seen = new Set<number>();
      let last = NOW;
      for (let round = 0; round < 20; round += 1) {
        const now = NOW + (round + 1) * step * MINUTE;
        const decision = tape.due(now);
        for (const event of decision?.events ?? []) {
          const found = event.type === 'task_fired' ? [event.data.slot] : [];
          const missed = event.type === 'task_missed' ? event.data.slots : [];
          for (const slot of [...found, ...missed]) {
            expect(slot).toBeGreaterThan(last);
            expect(slot).toBeLessThanOrEqual(now);
            expect(seen.has(slot)).toBe(false);
            seen.add(slot);
          }
        }
        tape.push(now, ...(decision?.events ?? []));
        last = [...seen].at(-1) ?? last;
      }
      expect(seen.size).toBeGreaterThan(1);
    },
  );
});

describe('ids', () => {
  it('of tasks follow from run and index, of firings from task and slot', () => {
    const task = taskId('run_ses_1_a', 0);
    expect(isTaskId(task)).toBe(true);
    expect(taskId('run_ses_1_a', 0)).toBe(task);
    expect(taskId('run_ses_1_a', 1)).not.toBe(task);
    expect(firingRun('ses_1', task, 1)).toMatch(/^run_ses_1_[0-9a-f]{16}$/);
    expect(firingRun('ses_1', task, 1)).not.toBe(firingRun('ses_1', task, 2));
  });
});
