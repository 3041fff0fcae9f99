import { type RecordedTaskEvent, asTaskEvent, sessionStream, taskOfStream } from '#domain';
import {
  type EventLog,
  Follower,
  type FollowerBatch,
  type FollowerTarget,
  LogUnavailable,
  type Position,
  type RecordedEvent,
  type Revision,
  type RunningFollowers,
  isErasure,
} from '#event-log';
import { isUnreadable } from '#vault';
import type { Background, Clock, Logger, Random } from '#platform';
import { loadRequest } from '../load-session.js';
import { DueHeap, type DueTask } from './due-heap.js';
import type { TaskFirings } from './task-firings.js';
import type { TaskIndex, TaskSnapshot } from './task-index.js';
import type { TaskMaker } from './task-maker.js';

export interface TaskClockPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly background: Background;
  readonly logger: Logger;
  readonly index: TaskIndex;
  readonly maker: TaskMaker;
  readonly firings: TaskFirings;
  readonly random: Random;
  readonly followers?: RunningFollowers | undefined;
  /** It hears of no task any more, although nobody stopped it. */
  readonly onFatal: (error: unknown) => void;
}

/** Tasks that fire at the same time; the others wait their turn. */
const AT_ONCE = 32;
/** The longest sleep: somebody may set the machine's clock. */
const LONGEST_SLEEP_MS = 10_000;
const RETRY_MS = 1_000;
/** After an error that will not go away by itself. */
const BROKEN_RETRY_MS = 60_000;
/** How often it is looked for what a crash left undone. */
const MEND_MS = 30_000;
/** Another replica may be about to do it. */
const MEND_AGE_MS = 5_000;
const INDEX_PATIENCE_MS = 10_000;

/**
 * Fires tasks when they are due. Owns the next slot of every task, in memory: what the lists knew at the start, and what
 * the `task-` streams told since.
 * 1. It is only told when to look: whether a task is due the log says, each time.
 * 2. A task is fired by one piece of work at a time; what is heard of it meanwhile is taken in.
 * 3. What a crash left between two streams (a request without its tasks, a firing without its run) is done at the start
 *    and again every while.
 */
export class TaskClock implements FollowerTarget {
  private readonly due = new DueHeap();
  /** Of each task that is being fired, the latest event that was heard of. */
  private readonly firing = new Map<string, Revision>();
  private readonly stopping = new AbortController();
  private readonly follower: Follower;
  /** What was heard up to here stands in `due`. */
  private heard: Position = 0;
  private cancelTimer: (() => void) | null = null;
  private work: Promise<void>[] = [];

  constructor(private readonly ports: TaskClockPorts) {
    const { onFatal } = ports;
    const options = { name: 'task-clock', prefixes: ['task-'], target: this, onFatal };
    this.follower = new Follower(options, ports);
  }

  /** Tasks that have a next slot. */
  get size(): number {
    return this.due.size + this.firing.size;
  }

  start(): void {
    this.begin('task clock', async () => {
      const { tasks, position } = await this.snapshot();
      for (const { task, revision, nextAt } of tasks) this.due.set({ task, known: revision }, nextAt);
      this.arm();
      this.begin('mend tasks', () => this.mendEveryWhile());
      this.heard = position;
      if (!this.stopping.signal.aborted) this.follower.start();
    });
  }

  /** Resolves when nothing is being fired any more. A slot that was taken gets its run at the next start. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('the clock was stopped'));
    this.cancelTimer?.();
    await this.follower.stop();
    await Promise.all(this.work);
  }

  private begin(name: string, work: () => Promise<void>): void {
    const { signal } = this.stopping;
    const ended = Promise.withResolvers<void>();
    this.work.push(ended.promise);
    this.ports.background.start(name, async () => {
      try {
        await work();
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        ended.resolve();
        this.work = this.work.filter((promise) => promise !== ended.promise);
      }
    });
  }

  /** Where the lists do not answer, the log is read from its start. */
  private async snapshot(): Promise<TaskSnapshot> {
    const { clock, index, logger } = this.ports;
    const nothing = clock.sleep(INDEX_PATIENCE_MS, this.stopping.signal).then(() => NO_SNAPSHOT);
    nothing.catch(() => undefined);
    try {
      return await Promise.race([index.scheduled(), nothing]);
    } catch (error) {
      this.stopping.signal.throwIfAborted();
      logger.warn({ err: error }, 'the tasks are read from the log');
      return NO_SNAPSHOT;
    }
  }

  async load(): Promise<{ logId: string; position: Position }> {
    return { logId: this.ports.log.logId, position: this.heard };
  }

  async apply({ events, to }: FollowerBatch): Promise<void> {
    for (const event of events) this.hear(event);
    this.heard = to;
    if (events.length > 0) this.arm();
  }

  /** Of a type that only a newer version knows: when the task is due, the log says what it comes to. */
  async park(): Promise<void> {}

  isTransient(error: unknown): boolean {
    return error instanceof LogUnavailable;
  }

  private hear(recorded: RecordedEvent): void {
    const task = taskOfStream(recorded.stream);
    if (task === null) return;
    const { revision: known } = recorded;
    if (this.firing.has(task)) this.firing.set(task, known);
    else this.place({ task, known }, nextOf(asTaskEvent(recorded)));
  }

  private place(told: DueTask, nextAt: number | null | undefined): void {
    if (nextAt === undefined) return;
    if (nextAt === null) this.due.delete(told.task);
    else this.due.set(told, nextAt);
  }

  /** Fires what is due, as much as may be, and sleeps until the next. */
  private arm(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
    if (this.stopping.signal.aborted) return;
    const now = this.ports.clock.now();
    while (this.firing.size < AT_ONCE) {
      const due = this.due.takeDue(now);
      if (due === null) break;
      this.firing.set(due.task, due.known);
      this.begin('fire a task', () => this.fire(due));
    }
    const { earliest } = this.due;
    if (earliest === null || this.firing.size >= AT_ONCE) return;
    const sleepMs = Math.min(Math.max(earliest - now, 0), LONGEST_SLEEP_MS);
    this.cancelTimer = this.ports.clock.timer(sleepMs, () => this.arm());
  }

  private async fire({ task, known }: DueTask): Promise<void> {
    const { clock, firings, logger } = this.ports;
    const { signal } = this.stopping;
    try {
      const state = await firings.fire(task, signal);
      // What was heard of is on the log: nobody else would come back to the task.
      if (state === null || (state !== 'erased' && state.revision < known))
        throw new LogUnavailable('a read of the task lags behind');
      const heard = this.firing.get(task) ?? known;
      this.firing.delete(task);
      if (state === 'erased') return this.arm();
      // Invariant 2: of what came later only the log knows enough.
      if (heard > state.revision) this.due.set({ task, known: heard }, clock.now());
      else this.place({ task, known: state.revision }, state.nextAt);
    } catch (error) {
      const heard = this.firing.get(task) ?? known;
      this.firing.delete(task);
      if (signal.aborted) return;
      const isTransient = error instanceof LogUnavailable;
      logger.warn({ err: error, task }, 'a task that is due has to wait');
      this.due.set({ task, known: heard }, clock.now() + (isTransient ? RETRY_MS : BROKEN_RETRY_MS));
    }
    this.arm();
  }

  /** Invariant 3. */
  private async mendEveryWhile(): Promise<void> {
    const { clock, logger } = this.ports;
    const { signal } = this.stopping;
    // Of several replicas one keeps the clock: what another one has begun, it has left.
    let ageMs = 0;
    while (!signal.aborted) {
      try {
        await this.mend(clock.now() - ageMs);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ err: error }, 'tasks could not be looked through');
      }
      ageMs = MEND_AGE_MS;
      await clock.sleep(MEND_MS, signal);
    }
  }

  private async mend(before: number): Promise<void> {
    const { index, maker, firings, log } = this.ports;
    for (const { session, requested } of await index.unmade())
      try {
        await maker.make(session, await loadRequest(log, sessionStream(session), requested));
      } catch (error) {
        // Nobody can tell what was to be scheduled.
        if (!isErasure(error) && !isUnreadable(error)) throw error;
      }
    for (const task of await index.unstarted(before)) {
      if (!this.firing.has(task)) await firings.mend(task, this.stopping.signal);
    }
  }
}

const NO_SNAPSHOT: TaskSnapshot = { tasks: [], position: 0 };

/** The next slot as the event says; undefined: it says nothing of it. */
function nextOf(event: RecordedTaskEvent): number | null | undefined {
  switch (event.type) {
    case 'task_scheduled':
    case 'task_fired':
    case 'task_missed':
    case 'task_resumed':
      return event.data.next_at;
    case 'task_paused':
    case 'task_cancelled':
    case 'task_finished':
      return null;
  }
}
