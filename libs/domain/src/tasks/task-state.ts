import type { RecordedTaskEvent, TaskEvent, TaskStatus } from './task-events.js';
import { nextSlot, slotsBetween } from './schedule.js';

export type ScheduledTask = Extract<TaskEvent, { type: 'task_scheduled' }>['data'];

/** A slot that fired, or (with nulls) one that was missed. */
export interface Firing {
  readonly slot: number;
  readonly firedAt: number | null;
  readonly run: string | null;
  readonly isLate: boolean;
}

export interface TaskState {
  readonly definition: ScheduledTask;
  readonly project: string;
  readonly actor: string;
  readonly createdAt: number;
  readonly status: TaskStatus;
  /** null: none to come, or paused. */
  readonly nextAt: number | null;
  /** Newest last, 100 at most. */
  readonly firings: readonly Firing[];
  readonly revision: number;
}

export const FIRINGS_KEPT = 100;

/** null: nothing is there yet. */
export function evolveTask(state: TaskState | null, event: RecordedTaskEvent): TaskState | null {
  if (event.type === 'task_scheduled') return state ?? scheduled(event);
  return state === null ? null : { ...changed(state, event), revision: event.revision };
}

function scheduled(event: Extract<RecordedTaskEvent, { type: 'task_scheduled' }>): TaskState {
  const { project, actor } = event.meta;
  return {
    definition: event.data,
    project,
    actor,
    createdAt: event.time,
    status: 'scheduled',
    nextAt: nextSlot(event.data.schedule, event.time),
    firings: [],
    revision: event.revision,
  };
}

function changed(state: TaskState, event: Exclude<RecordedTaskEvent, { type: 'task_scheduled' }>): TaskState {
  const { schedule } = state.definition;
  switch (event.type) {
    case 'task_fired': {
      const { slot, run, late } = event.data;
      const firing = { slot, firedAt: event.time, run, isLate: late === true };
      return { ...passed(state, slot), firings: [...state.firings, firing].slice(-FIRINGS_KEPT) };
    }
    case 'task_missed': {
      const missed = event.data.slots.map((slot) => ({ slot, firedAt: null, run: null, isLate: false }));
      const last = event.data.slots.at(-1);
      const after = last === undefined ? state : passed(state, last);
      return { ...after, firings: [...state.firings, ...missed].slice(-FIRINGS_KEPT) };
    }
    case 'task_paused':
      return { ...state, status: 'paused', nextAt: null };
    case 'task_resumed':
      return { ...state, status: 'scheduled', nextAt: nextSlot(schedule, event.time) };
    case 'task_cancelled':
      return { ...state, status: 'cancelled', nextAt: null };
    case 'task_finished':
      return { ...state, status: 'finished', nextAt: null };
  }
}

const passed = (state: TaskState, slot: number): TaskState =>
  state.status === 'scheduled' ? { ...state, nextAt: nextSlot(state.definition.schedule, slot) } : state;

/** The slot that the task fires now, and the events that say so. */
export interface DueDecision {
  readonly events: readonly TaskEvent[];
  /** null: nothing fires, everything that passed was missed. */
  readonly fires: { readonly slot: number; readonly run: string } | null;
}

/** A slot fires this much after its time without being called late. */
const LATE_MS = 60_000;

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
  if (state.status !== 'scheduled' || state.nextAt === null || state.nextAt > now) return null;
  const { slots, count } = slotsBetween(state.definition.schedule, state.nextAt - 1, now, FIRINGS_KEPT);
  const newest = slots.at(-1) ?? state.nextAt;
  const isOver = nextSlot(state.definition.schedule, newest) === null;
  const finished: readonly TaskEvent[] = isOver ? [{ type: 'task_finished', data: {} }] : [];
  if (isBusy && !isOver) return { events: [{ type: 'task_missed', data: { slots, count } }], fires: null };
  const earlier = slots.slice(0, -1);
  const missed: readonly TaskEvent[] =
    earlier.length > 0 ? [{ type: 'task_missed', data: { slots: earlier, count: count - 1 } }] : [];
  const run = runOf(newest);
  const late = now - newest > LATE_MS || earlier.length > 0 ? ({ late: true } as const) : {};
  const fired: TaskEvent = { type: 'task_fired', data: { slot: newest, run, ...late } };
  return { events: [...missed, fired, ...finished], fires: { slot: newest, run } };
}

export type TaskCommand = 'pause' | 'resume' | 'cancel';

/** What a command writes; nothing where it changes nothing. */
export function decideTask(state: TaskState, command: TaskCommand, now: number): readonly TaskEvent[] {
  const { status } = state;
  if (status === 'finished' || status === 'cancelled') return [];
  if (command === 'cancel') return [{ type: 'task_cancelled', data: {} }];
  if (command === 'pause') return status === 'paused' ? [] : [{ type: 'task_paused', data: {} }];
  if (status === 'scheduled') return [];
  const isOver = nextSlot(state.definition.schedule, now) === null;
  return isOver ? [{ type: 'task_finished', data: {} }] : [{ type: 'task_resumed', data: {} }];
}
