import { type RecordedTaskEvent, asTaskEvent, isEndType, taskId, taskOfStream } from '#domain';
import type { RecordedEvent } from '#event-log';
import type { TaskCommandRequest } from '../world/transcript.js';
import { type Evidence, type SessionLog, at, erasureOf, require } from './evidence.js';

/** Whether a session is there and not erased. */
type IsLive = (session: string) => boolean;

type TaskRecord = RecordedEvent & RecordedTaskEvent;

/** Where each run begins and ends on the log, and what asked for it. */
interface RunPlace {
  /** Its stream. */
  readonly session: string;
  readonly requested: number;
  readonly task: string | undefined;
  readonly message: unknown;
  readonly config: object;
  isBegun: boolean;
  /** Where it was cancelled, if it waited then: it is over, though its end may be written later. */
  ended: number | null;
}

const ONCE = 'I7 a slot fires at most once';
const LOST = 'I7 a slot fires or is recorded missed';
const MINUTE = 60_000;

/**
 * I7: each request has its tasks; each slot of a task, from its first to its last, is fired or recorded missed, once, in
 * order, but for those that pass while it is paused; each firing has its run, and one runs at a time.
 */
export function checkTasks(sessions: readonly SessionLog[], evidence: Evidence): void {
  const streams = Map.groupBy(
    evidence.log.filter((event) => taskOfStream(event.stream) !== null),
    (event) => taskOfStream(event.stream) ?? '',
  );
  const runs = new Map<string, RunPlace>();
  for (const session of sessions) placeRuns(session, runs);
  const live = sessions.filter((session) => erasureOf(session) === null);
  const isLive = (id: string) => live.some((session) => session.id === id);
  checkMade(sessions, streams, isLive);
  for (const [task, events] of streams) {
    const told = events.map((event) => asTaskEvent(event));
    checkSlots(told);
    checkFirings(task, told, runs, isLive, evidence);
  }
  for (const command of evidence.transcript.taskCommands)
    checkCommand(command, streams.get(command.task) ?? [], isLive);
}

function placeRuns({ events }: SessionLog, runs: Map<string, RunPlace>): void {
  for (const event of events) {
    const run = event.meta.run ?? '';
    if (event.type === 'run_requested') {
      const { task, message, config } = event.data;
      const state = { isBegun: false, ended: null };
      runs.set(run, { session: event.stream, requested: event.position, task, message, config, ...state });
      continue;
    }
    const place = runs.get(run);
    if (place !== undefined) {
      if (event.type === 'run_claimed') place.isBegun = true;
      const isCancelled = event.type === 'run_cancel_requested' && !place.isBegun;
      if (isCancelled || isEndType(event.type)) place.ended ??= event.position;
    }
    if (event.type === 'session_erased')
      for (const place of runs.values()) if (place.session === event.stream) place.ended ??= event.position;
  }
}

function checkMade(
  sessions: readonly SessionLog[],
  streams: ReadonlyMap<string, RecordedEvent[]>,
  isLive: IsLive,
): void {
  const wanted = new Set<string>();
  for (const { id, events } of sessions)
    for (const event of events) {
      if (event.type !== 'run_requested') continue;
      for (const i of (event.data.schedules ?? []).keys()) {
        const task = taskId(event.meta.run ?? '', i);
        wanted.add(task);
        require(streams.has(task) || !isLive(id), 'I7 a schedule is a task', () => `${at(event)}: ${i}`);
      }
    }
  for (const task of streams.keys()) require(wanted.has(task), 'I7 a task was asked for', () => task);
}

/** The slots in the order in which they passed. Crons of these worlds come at whole minutes: nothing of the product's arithmetic is needed. */
function checkSlots(events: readonly TaskRecord[]): void {
  const [first] = events;
  require(first?.type === 'task_scheduled', 'I7 a task begins with its schedule', () => at(events[0]!));
  const { schedule, next_at } = first.data;
  const everyMs =
    schedule.kind === 'once' ? null : schedule.expression.startsWith('*/2') ? 2 * MINUTE : MINUTE;
  let expected: number | null = next_at;
  let last = -Infinity;
  let isPaused = false;
  const pass = (slot: number, event: TaskRecord) => {
    require(slot > last, ONCE, () => `${at(event)}: ${slot} after ${last}`);
    require(expected !== null && slot === expected, LOST, () => `${at(event)}: ${slot}, not ${expected}`);
    last = slot;
    expected = everyMs === null ? null : slot + everyMs;
  };
  for (const event of events.slice(1)) {
    const wrong = (why: string) => () => `${at(event)}: ${why}`;
    if (event.type === 'task_fired') {
      require(!isPaused, 'I7 a paused task does not fire', wrong(`${event.data.slot}`));
      require(event.data.slot <= event.time, 'I7 a slot fires in its time', wrong(`${event.data.slot}`));
      pass(event.data.slot, event);
      require(event.data.next_at === expected, LOST, wrong(`next ${event.data.next_at}, not ${expected}`));
    } else if (event.type === 'task_missed') {
      const { slots, count } = event.data;
      // After a long absence only the newest are named.
      if (count > slots.length && everyMs !== null && slots[0] !== undefined) expected = slots[0];
      for (const slot of slots) pass(slot, event);
    } else if (event.type === 'task_paused') isPaused = true;
    else if (event.type === 'task_resumed') {
      isPaused = false;
      const { next_at: next } = event.data;
      require(next > last, ONCE, wrong(`goes on at ${next} after ${last}`));
      require(everyMs === null ? next === first.data.next_at : next % everyMs === 0, LOST, wrong(`${next}`));
      expected = next;
    }
  }
}

function checkFirings(
  task: string,
  events: readonly TaskRecord[],
  runs: ReadonlyMap<string, RunPlace>,
  isLive: IsLive,
  { marks }: Evidence,
): void {
  const [first] = events;
  let before: RunPlace | null = null;
  for (const event of events) {
    marks.hit(event.type);
    if (event.type !== 'task_fired' || first?.type !== 'task_scheduled') continue;
    const { run, late } = event.data;
    if (late) marks.hit('task fired late');
    const place = runs.get(run);
    if (place === undefined && !isLive(first.data.session)) continue;
    const wrong = (why: string) => () => `${at(event)} of ${task}: ${why}`;
    require(place !== undefined, 'I7 a firing has its run', wrong(run));
    require(place.task === task, 'I7 a firing has its run', wrong('the run is of another task'));
    require(JSON.stringify(place.message) ===
      JSON.stringify(first.data.message), 'I7 a firing has its message', wrong(
      JSON.stringify(place.message),
    ));
    require(!('mcp_servers' in place.config), 'I7 a firing has no tool servers', wrong('mcp_servers'));
    const isFree = before === null || (before.ended !== null && before.ended < event.position);
    require(isFree, 'I7 one firing of a task at a time', wrong('the last one still ran'));
    before = place;
  }
}

/** What was acknowledged holds from then on. */
function checkCommand(
  { command, task, actor, answer }: TaskCommandRequest,
  events: readonly RecordedEvent[],
  isLive: IsLive,
): void {
  const own = events.filter((event) => event.meta.actor === actor);
  const [first] = events.map((event) => asTaskEvent(event));
  const session = first?.type === 'task_scheduled' ? first.data.session : '';
  const isGone = answer?.kind === 'refused' && answer.code === 'not_found' && !isLive(session);
  if (answer?.kind === 'refused')
    require(own.length === 0 || isGone, 'I13 what was refused is not there', () =>
      `${actor}: ${own.map(at).join()}`);
  if (answer?.kind !== 'done' || command !== 'cancel') return;
  const later = events.find((event) => event.position > answer.at && event.type === 'task_fired');
  require(later === undefined, 'I2 what was acknowledged is there', () =>
    `${task} was cancelled: ${at(later!)}`);
}
