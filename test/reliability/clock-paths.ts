import {
  type RecordedTaskEvent,
  type Schedule,
  type TaskEvent,
  decideDue,
  decideTask,
  evolveTask,
  nextSlot,
} from '#domain';
import type { TaskState } from '#domain';
import type { Dice } from './dice.js';
import type { Verdict } from './verdict.js';
import type { Window } from './zones.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LOOKS = 12;
/** Where a machine's clock may go from one look to the next. */
const STEPS = [1_000, 20 * MINUTE, HOUR, 5 * HOUR, DAY, 40 * DAY, -1_000, -HOUR, -2 * DAY];

/**
 * I7 under a clock that goes back, forward, and over years: whatever it shows when a task is looked at, paused and resumed,
 * its slots rise, none fires twice, and all that pass between the first and the last are fired or missed. False: it has none.
 */
export function checkClockPath(schedule: Schedule, window: Window, dice: Dice, verdict: Verdict): boolean {
  let now = window.from;
  const first = nextSlot(schedule, now);
  if (first === null) return false;
  const name = `${schedule.kind === 'cron' ? `${schedule.expression} in ${schedule.timezone}` : schedule.at}`;
  let state = begun(schedule, first, now);
  let expected: number | null = first;
  let last = -Infinity;
  const told = (why: string) => () => `${name}: ${why} (the clock shows ${new Date(now).toISOString()})`;
  const take = (events: readonly TaskEvent[]): void => {
    for (const event of events) {
      state = evolveTask(state, recorded(event, state.revision + 1, now)) ?? state;
      for (const slot of slotsIn(event)) {
        const isSkipped = event.type === 'task_missed' && event.data.count > event.data.slots.length;
        verdict.require(slot > last, told(`${slot} again, after ${last}`));
        verdict.require(isSkipped || slot === expected, told(`${slot}, not ${expected}`));
        last = slot;
        expected = nextSlot(schedule, slot);
      }
      if (event.type === 'task_resumed') {
        verdict.require(event.data.next_at > last, told(`goes on at ${event.data.next_at} after ${last}`));
        expected = event.data.next_at;
      }
    }
  };
  for (let look = 0; look < LOOKS; look += 1) {
    now += dice.pick(STEPS);
    if (dice.chance(20)) take(decideTask(state, dice.chance(50) ? 'pause' : 'resume', now));
    const due = decideDue(state, now, dice.chance(20), (slot) => `run_${slot}`);
    if (due !== null) take(due.events);
    verdict.require(
      state.nextAt === null || state.nextAt > last,
      told(`${state.nextAt} is next after ${last}`),
    );
  }
  return true;
}

function begun(schedule: Schedule, next_at: number, time: number): TaskState {
  const given = schedule.kind === 'cron' ? schedule.expression : 1;
  const more = { task: 't', session: 's', run: 'r', requested: 0, message: 'm' };
  const event: TaskEvent = { type: 'task_scheduled', data: { given, schedule, next_at, ...more } };
  const state = evolveTask(null, recorded(event, 0, time));
  if (state === null) throw new Error('a task begins with its schedule');
  return state;
}

const recorded = (event: TaskEvent, revision: number, time: number): RecordedTaskEvent => ({
  ...event,
  revision,
  time,
  meta: { project: 'p', actor: 'k' },
});

function slotsIn(event: TaskEvent): readonly number[] {
  if (event.type === 'task_fired') return [event.data.slot];
  return event.type === 'task_missed' ? event.data.slots : [];
}
