import type { Toolboxes } from '#agent';
import {
  type Mode,
  Problem,
  decideOpen,
  decideStart,
  notFound,
  requireSession,
  runId,
  sessionId,
  sessionStream,
  taskId,
} from '#domain';
import { type ContentStore } from '#vault';
import { type EventLog, type EventMeta, LogUnavailable, NO_EVENTS, type Revision } from '#event-log';
import type { Clock, Logger, Random } from '#platform';
import type { Admission } from './admission.js';
import { type IdempotencyKeys, type IdempotentRequest, KeyMismatch, type KeyUse } from '#access';
import { findRequest, loadRequest } from './load-session.js';
import type { Session } from './session.js';
import type { Sessions } from './sessions.js';
import type { AcceptedRun, StartRun, StartedRun } from './start-run-request.js';
import { planSchedules, storeMessages } from './tasks/plan-schedules.js';
import type { TaskMaker } from './tasks/task-maker.js';

export interface StartRunPorts {
  readonly log: EventLog;
  readonly sessions: Sessions;
  readonly contents: ContentStore;
  readonly admission: Admission;
  readonly random: Random;
  readonly keys: IdempotencyKeys;
  readonly toolboxes: Toolboxes;
  readonly tasks: TaskMaker;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface StartRunOptions {
  readonly models: Readonly<Record<Mode, string>>;
  readonly replica: string;
  readonly worker: string;
}

/** With its schedules, planned when they are first asked for. */
interface PlannedRun extends StartRun {
  readonly plan: () => ReturnType<typeof planSchedules>;
}

/** Where a run will stand. */
interface Place {
  readonly session: string;
  readonly run: string;
  /** Revision of the session behind which the run stands, if it is there already. */
  readonly after: number;
}

type Made = { readonly requested: number; readonly isStarted: boolean } | Problem | null;

/** Accepts a run: when this resolves it is on the log, and it is driven or waits its turn. */
export class StartRunHandler {
  /** Requests under way, by run. */
  private readonly asking = new Map<string, number>();

  constructor(
    private readonly ports: StartRunPorts,
    private readonly options: StartRunOptions,
  ) {}

  /** @throws Problem not_found, session_busy, rate_limited, idempotency_mismatch; LogUnavailable (nothing was started) */
  async start(command: StartRun): Promise<AcceptedRun> {
    const { idempotency, project, schedules = [] } = command;
    await this.requireLog();
    const planned = this.plannedOnce(command);
    const placed = await (idempotency
      ? this.startOnce(planned, { operation: 'start_run', project, ...idempotency })
      : this.startNew(planned));
    const tasks = schedules.map((_, index) => taskId(placed.run, index));
    if (tasks.length > 0) await this.makeTasks(placed);
    return { ...placed, tasks };
  }

  /** A time that has come between the check and the append is no other time. */
  private plannedOnce(command: StartRun): PlannedRun {
    let planned: ReturnType<typeof planSchedules> | null = null;
    return {
      ...command,
      plan: () => (planned ??= planSchedules(command.schedules ?? [], this.ports.clock.now())),
    };
  }

  private async startNew(command: PlannedRun): Promise<StartedRun> {
    await this.check(command);
    if (command.checkState) await this.sessionOf(command);
    await command.checkState?.();
    const { random, sessions } = this.ports;
    const id = command.session ?? sessionId(random.hex(12));
    const start = (session: Session) => {
      const run = command.firing?.run ?? runId(id, random.hex(8));
      return this.startIn(session, { session: id, run, after: NO_EVENTS }, command);
    };
    return command.session === undefined ? sessions.useNew(id, start) : sessions.use(id, start);
  }

  private async findUse(command: StartRun, request: IdempotentRequest): Promise<KeyUse | null> {
    try {
      return await this.ports.keys.find(request);
    } catch (error) {
      if (!(error instanceof KeyMismatch) || error.session === null) throw error;
      // That a session is not there, or no more, is said before that the key was used for something else.
      await this.sessionOf(command);
      const { journal } = await this.ports.sessions.get(error.session);
      throw journal.state.isErased ? notFound('the session') : error;
    }
  }

  /** The session that the run is to go on with, if it names one. @throws Problem not_found */
  private async sessionOf({ session: id, project }: StartRun): Promise<Session | null> {
    if (id === undefined) return null;
    const session = await this.ports.sessions.get(id);
    requireSession(session.journal.state, project);
    return session;
  }

  /** What depends on time and names: a repeat is answered without it. @throws Problem */
  private async check({ plan, check }: PlannedRun): Promise<void> {
    plan();
    await check?.();
  }

  /** The run is on the log, so whoever asked for it is answered; what is missing here the clock makes later. */
  private async makeTasks({ session, run, requested }: StartedRun): Promise<void> {
    try {
      const request = await loadRequest(this.ports.log, sessionStream(session), requested);
      await this.ports.tasks.make(session, request);
    } catch (err) {
      this.ports.logger.warn({ err, run, session }, 'tasks of a run could not be made yet');
    }
  }

  /** The key's stream first, then the run: a repeat that finds the key without its run appends the same run. */
  private async startOnce(command: PlannedRun, request: IdempotentRequest): Promise<StartedRun> {
    const place = await this.placeOf(command, request);
    // First the session, then the search: what comes after the one is seen by the other, so no run is started twice.
    return this.ports.sessions.useOrCreate(place.session, async (session) => {
      if (session.journal.state.isErased) throw notFound('the session');
      const known = session.journal.revision;
      return (await this.find(place, known)) ?? this.startIn(session, place, command);
    });
  }

  private async placeOf(command: PlannedRun, request: IdempotentRequest): Promise<Place> {
    const { keys, admission } = this.ports;
    const known = await this.findUse(command, request);
    if (known !== null) return known;
    await this.check(command);
    const session = await this.sessionOf(command);
    await command.checkState?.();
    const ids = keys.idsFor(request, command.session);
    admission.requireRoom(command.project);
    const after = session?.journal.revision ?? NO_EVENTS;
    return keys.use(request, this.metaOf(command), { ...ids, after });
  }

  private async startIn(session: Session, place: Place, command: PlannedRun): Promise<StartedRun> {
    const { admission } = this.ports;
    if (command.session !== undefined) requireSession(session.journal.state, command.project);
    const hasRoom = admission.tryTake(place.run, command.project);
    const { asking } = this;
    asking.set(place.run, (asking.get(place.run) ?? 0) + 1);
    let isStarted = false;
    let entered = (): void => undefined;
    this.ports.toolboxes.remember(place.run, command.mcpServers ?? []);
    try {
      entered = admission.enter(command.project, hasRoom, session.journal.state);
      const made = await this.append(session, place, command, hasRoom);
      if (made instanceof Problem) throw made;
      isStarted = made?.isStarted === true;
      const requested = made?.requested ?? (await this.find(place))?.requested;
      // The run is there; only a read of a log that others write to may lag behind.
      if (requested === undefined) throw new LogUnavailable('the run cannot be read yet');
      return { session: session.id, run: place.run, requested };
    } finally {
      entered();
      const isLast = this.isLastToAsk(place.run);
      if (isLast && !knowsUnended(session, place.run)) this.ports.toolboxes.forget(place.run);
      // Erased in the same breath, a run that was started is driven by nobody.
      const hasPlace = isStarted && knowsUnended(session, place.run);
      if (isLast && !hasPlace && !session.isDriving(place.run)) {
        admission.release(place.run);
        session.react();
      }
    }
  }

  /** Requests with the same key share a place and tool servers while they are under way: the last one gives them back. */
  private isLastToAsk(run: string): boolean {
    const others = (this.asking.get(run) ?? 1) - 1;
    if (others > 0) this.asking.set(run, others);
    else this.asking.delete(run);
    return others === 0;
  }

  /** A refusal that is on the log; null: the run is there already. */
  private async append(session: Session, { run }: Place, command: PlannedRun, hasRoom: boolean) {
    const { models, replica, worker } = this.options;
    const { project, mode, trigger, onBusy, callback, firing } = command;
    const { contents } = this.ports;
    const message = await contents.store(session.id, command.message);
    const config = await contents.storeObject(session.id, command.config);
    const schedules = await storeMessages(command.plan(), (text) => contents.toFile(session.id, text));
    const request = {
      run,
      message,
      mode,
      model: models[mode],
      config,
      trigger,
      replica,
      onBusy,
      ...(callback === undefined ? {} : { callback }),
      ...(schedules.length === 0 ? {} : { schedules }),
      ...(firing === undefined ? {} : { task: firing.task }),
    };
    const terms = { project, worker, hasRoom, mayArriveLate: this.mayArriveLate(command) };
    return session.journal.command<Made>({ ...this.metaOf(command), run }, (state, next) => {
      const opening = command.session === undefined ? decideOpen(state, request, { worker, hasRoom }) : null;
      if (opening) return { events: opening, value: { requested: next + 1, isStarted: hasRoom } };
      const decision = decideStart(state, request, { ...terms, next });
      if (decision.kind === 'known') return { events: [], value: null };
      if (decision.kind === 'refuse') return { events: decision.events, value: decision.problem };
      return { events: decision.events, value: { requested: next, isStarted: decision.kind === 'start' } };
    });
  }

  /** Another try with the same key, on another process, may have written what is stored only now. */
  private mayArriveLate({ idempotency }: StartRun): boolean {
    return idempotency !== undefined && !this.ports.log.exclusive;
  }

  /** A log that is in trouble takes no new runs, so that it can still take the rest of those that are under way. */
  private async requireLog(): Promise<void> {
    const { ok, detail } = await this.ports.log.health();
    if (!ok) throw new LogUnavailable(detail);
  }

  /** The run of a key, if it is on the log up to the revision, at least. @throws LogUnavailable */
  private async find({ session, run, after }: Place, upTo: Revision = NO_EVENTS): Promise<StartedRun | null> {
    const requested = await findRequest(this.ports.log, sessionStream(session), { run, after, upTo });
    return requested === null ? null : { session, run, requested };
  }

  private metaOf({ project, actor, correlationId, traceparent }: StartRun): EventMeta {
    return {
      schemaVersion: 1,
      project,
      actor,
      ...(correlationId === undefined ? {} : { correlationId }),
      ...(traceparent === undefined ? {} : { traceparent }),
    };
  }
}

const knowsUnended = ({ journal: { state } }: Session, run: string): boolean =>
  state.current?.run === run || state.waiting.some((waiting) => waiting.run === run);
