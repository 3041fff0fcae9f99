import {
  Problem,
  type TaskState,
  asTaskEvent,
  decideDue,
  evolveTask,
  firingRun,
  lastFiring,
  sessionStream,
  taskStream,
  type RunId,
  type SessionId,
  type TaskId,
} from '#domain';
import { type ContentStore } from '#vault';
import {
  type EventLog,
  LogUnavailable,
  NO_EVENTS,
  type NewEvent,
  type Revision,
  appendUntilDefinite,
  isErasure,
  newEvent,
} from '#event-log';
import type { Clock, CountedWork, Logger, Random } from '#platform';
import { loadRequest } from '../load-session.js';
import type { Session } from '../session.js';
import type { Sessions } from '../sessions.js';
import type { StartRunHandler } from '../start/start-run.js';
import type { StartRun } from '../start/start-run-request.js';
import { loadTask } from './load-task.js';

export interface FiringPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly contents: ContentStore;
  readonly sessions: Sessions;
  readonly startRun: StartRunHandler;
  readonly counted: CountedWork;
  /** Whether a key may still act; absent: always. */
  readonly mayAct?: ((keyId: string) => boolean) | undefined;
}

const RETRY_MS = 1_000;
/** The task names its session, so the session is there: for so long a read that others write to may not show it. */
const UNSEEN_MS = 60_000;
/** How far the clocks of two replicas may be apart. */
const SKEW_MS = 10 * 60_000;

/**
 * Fires tasks that are due. Owns nothing: the log decides.
 * 1. A slot is taken by `task_fired` at the task's expected revision, so it is taken once, whoever tries.
 * 2. The run's id follows from the slot, and it is started only where it is not on the log: a crash between the two costs
 *    nothing, and doing it again does nothing.
 * 3. A task that ends the process is paused when three processes have ended at the same slot, or the same run: see
 *    CountedWork. What it has fired without a run gets none any more.
 * 4. A task of a key that may act no more is paused instead, whatever any list says of it.
 */
export class TaskFirings {
  constructor(private readonly ports: FiringPorts) {}

  /** Fires the task's slot if it is due. Returns the task as it is then; null: there is none. @throws the signal's reason */
  async fire(task: TaskId, signal: AbortSignal): Promise<TaskState | 'erased' | null> {
    for (;;) {
      signal.throwIfAborted();
      const state = await loadTask(this.ports.log, task);
      if (state === null || state === 'erased') return state;
      if (state.nextAt === null || state.nextAt > this.ports.clock.now()) return state;
      const after = await this.fireOnce(state, signal);
      if (after !== null) return after;
    }
  }

  /** null: somebody else was faster. */
  private async fireOnce(state: TaskState, signal: AbortSignal): Promise<TaskState | null> {
    const { task, session } = state.definition;
    // Invariant 4.
    if (this.ports.mayAct?.(state.actor) === false)
      return this.write(state, [{ type: 'task_paused', data: {} }]);
    const isBusy = await this.isBusy(state, signal);
    if (isBusy === 'deadly') return this.giveUp(state);
    const runOf = (slot: number): string => firingRun(session, task, slot);
    const decision = decideDue(state, this.ports.clock.now(), isBusy, runOf);
    if (decision === null) return state;
    const after = await this.write(state, decision.events);
    if (after === null || decision.fires === null) return after;
    const started = await this.start(after, decision.fires.run, signal);
    return started === 'deadly' ? this.giveUp(after) : after;
  }

  /** Starts the run of the task's last firing where a crash came in between. @throws the signal's reason */
  async mend(task: TaskId, signal: AbortSignal): Promise<void> {
    const state = await loadTask(this.ports.log, task);
    if (state === null || state === 'erased') return;
    if ((await this.isBusy(state, signal)) === 'deadly') await this.giveUp(state);
  }

  /** Invariant 3. null: somebody else was faster. */
  private async giveUp(state: TaskState): Promise<TaskState | null> {
    const { counted, logger, clock } = this.ports;
    const { task } = state.definition;
    const last = lastFiring(state);
    const isRuns = last !== null && counted.isDeadly(startKey(last.run));
    const slot = state.nextAt ?? clock.now();
    const data = { reason: 'deadly' as const, ...(isRuns ? { run: last.run } : { slot }) };
    const after = await this.write(state, [{ type: 'task_paused', data }]);
    if (after === null) return null;
    logger.error({ task, ...data }, 'a task was paused: processes ended while they fired it');
    await counted.forget(isRuns ? startKey(last.run) : lookKey(task));
    return after;
  }

  /** null: somebody else was faster. */
  private async write(
    state: TaskState,
    decided: readonly { readonly type: string; readonly data: object }[],
  ): Promise<TaskState | null> {
    const { log, clock, random } = this.ports;
    const { project, actor, revision: expected } = state;
    const time = clock.now();
    const meta = { schemaVersion: 1, project, actor };
    const events: NewEvent[] = decided.map((event) => newEvent({ id: random.uuid(), time, ...event }, meta));
    const stream = taskStream(state.definition.task);
    const result = await appendUntilDefinite(log, clock, random, stream, events, { expected });
    if (result.kind === 'conflict') return null;
    return events.reduce<TaskState | null>(
      (evolved, event, i) => evolveTask(evolved, asTaskEvent({ ...event, revision: result.first + i })),
      state,
    );
  }

  /** Whether the last firing's run still waits or runs; where it is missing, it is started. @throws LogUnavailable */
  private async isBusy(state: TaskState, signal: AbortSignal): Promise<boolean | 'deadly'> {
    const last = lastFiring(state);
    if (last === null || last.failure !== undefined) return false;
    const looked = await this.ports.counted.run(lookKey(state.definition.task), () =>
      this.lookAt(state, last),
    );
    if (looked.kind === 'deadly') return 'deadly';
    if (looked.value !== 'missing') return looked.value === 'busy';
    return (await this.start(state, last.run, signal)) === 'deadly' ? 'deadly' : true;
  }

  /** What became of a firing's run. @throws LogUnavailable */
  private async lookAt(
    state: TaskState,
    { run, firedAt }: { readonly run: RunId; readonly firedAt: number | null },
  ): Promise<'busy' | 'ended' | 'missing'> {
    const session = await this.ports.sessions.get(state.definition.session);
    await session.refresh();
    if (isUnended(session, run)) return 'busy';
    if (session.journal.state.ended.includes(run)) return 'ended';
    const requested = await this.find(session.id, run, firedAt ?? 0);
    if (requested === null) return 'missing';
    // Somebody may have started it while it was looked for: then what is known of the session is older than the run.
    await session.refresh();
    if (session.journal.revision < requested) throw new LogUnavailable('the session is being written to');
    return isUnended(session, run) ? 'busy' : 'ended';
  }

  /** Revision of the run's request; null: it is not on the log. It cannot stand before the firing that named it. @throws LogUnavailable */
  private async find(
    session: SessionId,
    run: RunId,
    firedAt: number,
    upTo: Revision = NO_EVENTS,
  ): Promise<Revision | null> {
    let newest: Revision = NO_EVENTS;
    for await (const page of this.ports.log.readStream(sessionStream(session), { backwards: true })) {
      newest = Math.max(newest, page[0]?.revision ?? NO_EVENTS);
      const found = page.find((event) => event.type === 'run_requested' && event.meta.run === run);
      if (found !== undefined) return found.revision;
      if ((page.at(-1)?.time ?? 0) < firedAt - SKEW_MS) break;
    }
    if (newest < upTo) throw new LogUnavailable('the session cannot be read as far as it is known');
    return null;
  }

  /** Until it is there: the slot is taken. */
  private async start(state: TaskState, run: RunId, signal: AbortSignal): Promise<'over' | 'deadly'> {
    const { clock, logger, counted } = this.ports;
    const begun = clock.now();
    for (let tries = 0; ; tries += 1) {
      signal.throwIfAborted();
      try {
        const tried = await counted.run(startKey(run), () => this.startOnce(state, run));
        return tried.kind === 'deadly' ? 'deadly' : 'over';
      } catch (error) {
        if (await this.isGone(state.definition.task, error)) return 'over';
        const fields = { err: error, run, task: state.definition.task };
        if (!isTransient(error) && !(isUnseen(error) && clock.now() - begun < UNSEEN_MS)) {
          logger.error(fields, 'a task could not be started');
          return 'over';
        }
        // Once: hundreds may wait for room, for as long as a run takes.
        if (tries === 0) logger.warn(fields, 'a task that fired has to wait');
        await clock.sleep(pauseAfter(error), signal);
      }
    }
  }

  private async startOnce(state: TaskState, run: RunId): Promise<void> {
    const since = lastFiring(state)?.firedAt ?? state.createdAt;
    // First the session, then the search: what comes after the one is seen by the other, so nobody's run is started again.
    await this.ports.sessions.use(state.definition.session, async (session) => {
      const known = session.journal.revision;
      if ((await this.find(session.id, run, since, known)) !== null) return;
      await this.ports.startRun.start(await this.commandOf(state, run));
    });
  }

  /** Whether the task's session is erased: then there is nothing to start. */
  private async isGone(task: TaskId, error: unknown): Promise<boolean> {
    if (!isUnseen(error)) return isErasure(error);
    try {
      return (await loadTask(this.ports.log, task)) === 'erased';
    } catch (unread) {
      if (!(unread instanceof LogUnavailable)) throw unread;
      return false;
    }
  }

  /** What the run that brought the schedule was asked to do, with the task's message and without tool servers. */
  private async commandOf({ definition, project, actor }: TaskState, run: RunId): Promise<StartRun> {
    const { session, requested, task } = definition;
    const { contents, log } = this.ports;
    const { data } = await loadRequest(log, sessionStream(session), requested);
    const { mcp_servers: _, ...config } = await contents.object(session, data.config);
    return {
      session,
      project,
      actor,
      message: await contents.text(session, definition.message),
      mode: data.mode,
      config,
      ...(data.callback === undefined ? {} : { callback: data.callback }),
      onBusy: 'enqueue',
      trigger: 'task',
      firing: { task, run },
    };
  }
}

/** Of the look at what a task's last firing came to, and of the start of a firing's run. */
const lookKey = (task: TaskId): string => `task/${task}`;
const startKey = (run: RunId): string => `firing/${run}`;

const isUnended = ({ journal: { state } }: Session, run: RunId): boolean =>
  state.current?.run === run || state.waiting.some((w) => w.run === run && !w.isCancelled);

const isTransient = (error: unknown): boolean =>
  error instanceof LogUnavailable || (error instanceof Problem && error.code === 'rate_limited');

/** As long as a client is told to wait. */
const pauseAfter = (error: unknown): number =>
  error instanceof Problem && error.more.retryAfterS !== undefined
    ? error.more.retryAfterS * 1_000
    : RETRY_MS;

const isUnseen = (error: unknown): boolean => error instanceof Problem && error.code === 'not_found';
