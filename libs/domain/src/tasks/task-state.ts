import type { ProjectId, Revision, RunId } from '../ids.js';
import type { RecordedTaskEvent, TaskEvent, TaskStatus } from './task-events.js';
import { nextSlot, slotsBetween } from './schedule.js';

export type ScheduledTask = Extract<TaskEvent, { type: 'task_scheduled' }>['data'];

/** A slot that fired, or (with nulls) one that was missed. */
export interface Firing {
  readonly slot: number;
  readonly firedAt: number | null;
  readonly run: RunId | null;
  readonly isLate: boolean;
  /** Why no run comes of it; absent: one did, or it was missed. */
  readonly failure?: 'deadly';
}

/** What the events of a task change. */
export interface TaskProgress {
  readonly status: TaskStatus;
  /** Key id of whoever it fires for: who scheduled it, or who resumed it when that key was no more. */
  readonly actor: string;
  /** null: none to come, or paused. */
  readonly nextAt: number | null;
  /** Newest last, 100 at most. */
  readonly firings: readonly Firing[];
  readonly revision: Revision;
}

export interface TaskState extends TaskProgress {
  readonly definition: ScheduledTask;
  readonly project: ProjectId;
  readonly createdAt: number;
}

export const FIRINGS_KEPT = 100;

/** null: nothing is there yet. */
export function evolveTask(state: TaskState | null, event: RecordedTaskEvent): TaskState | null {
  if (event.type === 'task_scheduled') return state ?? scheduled(event);
  return state === null ? null : progressTask(state, event);
}

function scheduled(event: Extract<RecordedTaskEvent, { type: 'task_scheduled' }>): TaskState {
  const { project, actor } = event.meta;
  return {
    definition: event.data,
    project,
    actor,
    createdAt: event.time,
    status: 'scheduled',
    nextAt: event.data.next_at,
    firings: [],
    revision: event.revision,
  };
}

/** What follows a task's first event; all that is in memory or in a table of the task is carried along. */
export function progressTask<P extends TaskProgress>(
  state: P,
  event: Exclude<RecordedTaskEvent, { type: 'task_scheduled' }>,
): P {
  return { ...state, ...changeOf(state, event), revision: event.revision };
}

function changeOf(
  state: TaskProgress,
  event: Exclude<RecordedTaskEvent, { type: 'task_scheduled' }>,
): Partial<TaskProgress> {
  switch (event.type) {
    case 'task_fired': {
      const { slot, run, late, next_at } = event.data;
      const firing = { slot, firedAt: event.time, run, isLate: late === true };
      const firings = newest([...state.firings, firing]);
      // Said again each time, so that the newest events alone tell whose it is.
      return { ...passed(state, next_at), actor: event.meta.actor, firings };
    }
    case 'task_missed': {
      const { slots, next_at } = event.data;
      const firings = newest([...state.firings, ...slots.map(missedAt)]);
      return { ...passed(state, next_at), actor: event.meta.actor, firings };
    }
    case 'task_paused':
      return pausedBy(state, event.data);
    case 'task_resumed':
      return {
        status: 'scheduled',
        nextAt: event.data.next_at,
        ...(event.data.taken_over ? { actor: event.meta.actor } : {}),
      };
    case 'task_cancelled':
      return { status: 'cancelled', nextAt: null };
    case 'task_finished':
      return { status: 'finished', nextAt: null };
  }
}

/** A task that is over stays over: what is said of it then is that its last firing failed. */
function pausedBy(
  { status, firings }: TaskProgress,
  { reason, run, slot }: Extract<TaskEvent, { type: 'task_paused' }>['data'],
): Partial<TaskProgress> {
  const change = { status: status === 'scheduled' ? ('paused' as const) : status, nextAt: null };
  if (reason === undefined) return change;
  if (run !== undefined)
    return {
      ...change,
      firings: firings.map((one) => (one.run === run ? { ...one, failure: reason } : one)),
    };
  if (slot === undefined) return change;
  return { ...change, firings: newest([...firings, { ...missedAt(slot), failure: reason }]) };
}

const missedAt = (slot: number): Firing => ({ slot, firedAt: null, run: null, isLate: false });

const newest = (firings: readonly Firing[]): readonly Firing[] => firings.slice(-FIRINGS_KEPT);

const passed = (state: TaskProgress, nextAt: number | null): Partial<TaskProgress> =>
  state.status === 'scheduled' ? { nextAt } : {};

/** The run of the newest slot that fired. */
export const lastFiring = ({ firings }: TaskProgress): (Firing & { readonly run: RunId }) | null =>
  (firings.findLast(({ run }) => run !== null) as (Firing & { readonly run: RunId }) | undefined) ?? null;

/** The slot that the task fires now, and the events that say so. */
export interface DueDecision {
  readonly events: readonly TaskEvent[];
  /** null: nothing fires, everything that passed was missed. */
  readonly fires: { readonly slot: number; readonly run: RunId } | null;
}

/** A slot fires this much after its time without being called late. */
const LATE_MS = 1_000;

/**
 * What is to be written when the clock has passed a task's next slot: the newest slot fires, earlier ones were missed, and
 * so was the newest one where the last firing still waits or runs. null: it is not due.
 */
export function decideDue(
  state: TaskState,
  now: number,
  isBusy: boolean,
  runOf: (slot: number) => string,
): DueDecision | null {
  const { schedule } = state.definition;
  if (state.status !== 'scheduled' || state.nextAt === null || state.nextAt > now) return null;
  const passed = slotsBetween(schedule, state.nextAt - 1, now, FIRINGS_KEPT);
  // The slot was recorded; that its time zone has changed its rules since does not undo it.
  const { slots, count } = passed.count > 0 ? passed : { slots: [state.nextAt], count: 1 };
  const newest = slots.at(-1) ?? state.nextAt;
  const next_at = nextSlot(schedule, Math.max(newest, now));
  const finished: readonly TaskEvent[] = next_at === null ? [{ type: 'task_finished', data: {} }] : [];
  if (isBusy) {
    return { events: [{ type: 'task_missed', data: { slots, count, next_at } }, ...finished], fires: null };
  }
  const earlier = slots.slice(0, -1);
  const missed: readonly TaskEvent[] =
    earlier.length > 0 ? [{ type: 'task_missed', data: { slots: earlier, count: count - 1, next_at } }] : [];
  const run = runOf(newest);
  const late = now - newest > LATE_MS ? ({ late: true } as const) : {};
  const fired: TaskEvent = { type: 'task_fired', data: { slot: newest, run, ...late, next_at } };
  return { events: [...missed, fired, ...finished], fires: { slot: newest, run } };
}

export type TaskCommand = 'pause' | 'resume' | 'cancel';

/** What a command writes; nothing where it changes nothing. `isOrphan`: the key that it fires for may act no more. */
export function decideTask(
  state: TaskState,
  command: TaskCommand,
  now: number,
  isOrphan = false,
): readonly TaskEvent[] {
  const { status } = state;
  if (status === 'finished' || status === 'cancelled') return [];
  if (command === 'cancel') return [{ type: 'task_cancelled', data: {} }];
  if (command === 'pause') return status === 'paused' ? [] : [{ type: 'task_paused', data: {} }];
  if (status === 'scheduled') return [];
  // Behind what has fired: another machine's clock may be ahead of this one.
  const last = state.firings.at(-1)?.slot ?? now;
  const next_at = nextSlot(state.definition.schedule, Math.max(now, last));
  return next_at === null
    ? [{ type: 'task_finished', data: {} }]
    : [{ type: 'task_resumed', data: isOrphan ? { next_at, taken_over: true } : { next_at } }];
}
