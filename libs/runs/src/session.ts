import {
  type Claim,
  ClaimLost,
  Driver,
  type DriverPorts,
  Journal,
  RunCancelled,
  RunStopped,
  RunWriter,
  type Toolbox,
  type ToolboxRequest,
  type Toolboxes,
} from '#agent';
import {
  ContextFold,
  type CurrentRun,
  type Draft,
  type RunEnd,
  type SessionState,
  asSessionEvent,
  decideClaimNext,
  decideTakeOver,
  isEndType,
  isIdle,
  newRun,
  sessionStream,
} from '#domain';
import { type EventLog, NO_EVENTS, type RecordedEvent } from '#event-log';
import type { Background, Clock, Logger, Random } from '#platform';
import type { Admission } from './admission.js';
import { type LoadedSession, type RequestEvent, loadContext, loadRequest, loadRun } from './load-session.js';

export interface SessionPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  readonly driver: DriverPorts;
  readonly toolboxes: Toolboxes;
  readonly admission: Admission;
  /** Name of this replica, the same after a restart. */
  readonly replica: string;
  /** Replica and boot: no other process ever has the same. */
  readonly worker: string;
  /** Told when a session may have nothing to do any more. */
  readonly rested: (session: Session) => void;
}

interface Driving extends Claim {
  readonly controller: AbortController;
}

/**
 * One session in this process: its journal, its context, and the run that this process drives.
 *
 * It acts on what is committed, nothing else: a claim of ours starts the driver, a cancel stops it, an end lets the next
 * run that this replica accepted claim its turn.
 */
export class Session {
  readonly journal: Journal;
  /** What the model knows of the runs that have ended; null: not known here, to be read from the log. */
  private context: ContextFold | null;
  private driving: Driving | null = null;
  private driver: Driver | null = null;
  /** Revision of the last clear that was heard of here. */
  private lastClear = NO_EVENTS;
  /** The run that a claim is being written for. */
  private claiming: string | null = null;
  private isStopped = false;
  /** Runs that wait here were accepted by a replica that is gone. */
  private isAdopted = false;
  /** A run of ours whose drive ended before the run did. */
  private brokenOff: string | null = null;
  private readonly requests = new Map<string, RequestEvent>();

  constructor(
    readonly id: string,
    private readonly ports: SessionPorts,
    start?: LoadedSession,
  ) {
    this.context = start ? null : new ContextFold();
    const { log, clock, random, background } = ports;
    this.journal = new Journal(
      sessionStream(id),
      { log, clock, random, start: (name, work) => background.start(name, work) },
      { committed: (events) => this.committed(events) },
      start,
    );
  }

  /** Whether it may be forgotten: nothing runs, waits or is being written here. */
  get isAtRest(): boolean {
    return this.driving === null && this.journal.isQuiet && (isIdle(this.journal.state) || this.isStopped);
  }

  /** Whether the run is driven here, or about to be: then its place is taken. */
  isDriving(run: string): boolean {
    return this.driving?.run === run || this.claiming === run;
  }

  /** Looks at what is to be done, e.g. after it was loaded or when there is room again. */
  react(): void {
    const { current, waiting } = this.journal.state;
    if (this.driving !== null) return this.superviseDriver(this.driving, current);
    if (this.isStopped) return;
    if (current?.worker === this.ports.worker) return this.startDriver(current);
    const next = waiting[0];
    const isNextOurs = next?.replica === this.ports.replica || this.isAdopted;
    if (current === null && next && isNextOurs) return this.claimNext(next.run);
    if (isIdle(this.journal.state)) this.ports.rested(this);
  }

  /** Goes on with what a replica left that is known to be gone: its run under way, and those that wait their turn. */
  adopt(): void {
    this.isAdopted = true;
    this.takeOver();
    this.react();
  }

  /** Starts nothing any more, and lets the run under way come to the end of its turn or its tool calls. */
  drain(): void {
    this.isStopped = true;
    this.driver?.drain();
  }

  /** Drives nothing any more; the run under way is left for whoever claims it next. */
  stop(): void {
    this.isStopped = true;
    this.driving?.controller.abort(new RunStopped());
  }

  private committed(events: readonly RecordedEvent[]): void {
    let isNews = false;
    for (const event of events) {
      if (event.type === 'run_requested')
        this.requests.set(event.meta.run ?? '', asSessionEvent(event) as RequestEvent);
      else if (this.isUnseen(event)) this.context = null;
      if (event.type === 'messages_cleared') this.lastClear = event.revision;
      if (isEndType(event.type) && event.meta.run !== this.driving?.run) this.forget(event.meta.run ?? '');
      isNews ||= DECISIVE.has(event.type);
    }
    if (isNews) this.react();
  }

  /** Whether the event changes the context in a way that no driver of ours sees to: a run that a stranger claims does. */
  private isUnseen(event: RecordedEvent): boolean {
    if (event.type === 'messages_cleared') return true;
    return event.type === 'run_claimed' && (event.data as { worker: string }).worker !== this.ports.worker;
  }

  private superviseDriver(driving: Driving, current: CurrentRun | null): void {
    if (current?.run !== driving.run) return;
    const isOurs = current.worker === driving.worker && current.epoch === driving.epoch;
    if (!isOurs) driving.controller.abort(new ClaimLost(driving.run));
    else if (current.isCancelRequested) driving.controller.abort(new RunCancelled());
  }

  /**
   * Claims the run under way, whose worker is known to be gone. Nothing happens where it is driven here, has ended, or
   * somebody else was faster.
   */
  private takeOver(): void {
    const { current } = this.journal.state;
    if (this.isStopped || current === null || current.worker === this.ports.worker) return;
    const { run, epoch } = current;
    this.claim(
      run,
      () => this.takeOver(),
      (state) => decideTakeOver(state, run, epoch, this.ports.worker),
    );
  }

  private claimNext(run: string): void {
    this.claim(
      run,
      () => this.react(),
      (state) => decideClaimNext(state, run, this.ports.worker),
    );
  }

  /** A claim waits for room in this process; it is decided on what the session is when it is written. */
  private claim(
    run: string,
    again: () => void,
    decide: (state: SessionState) => readonly Draft[] | null,
  ): void {
    if (this.claiming !== null || !this.ports.admission.takeOrWait(run, again)) return;
    this.claiming = run;
    this.ports.background.start('claim', async () => {
      let isTried = false;
      try {
        const request = await this.requestOf(run);
        await this.journal.command(request.meta, (state) => ({
          events: decide(state) ?? [],
          value: undefined,
        }));
        isTried = true;
      } catch (error) {
        await this.pauseAfter(error, run);
      } finally {
        this.claiming = null;
        if (!this.holds(run) && !this.isDriving(run)) this.ports.admission.release(run);
        this.react();
        // The log could not be asked: the run is still there to be claimed.
        if (!isTried) again();
      }
    });
  }

  /** What could not be done because of the log is tried again, not at once. */
  private async pauseAfter(error: unknown, run: string): Promise<void> {
    if (this.isStopped) return;
    this.ports.logger.warn({ err: error, run, session: this.id }, 'a run has to wait for the log');
    await this.ports.clock.sleep(RETRY_MS);
  }

  /** Whether the run is claimed by this process, as far as is known, and to be driven by it. */
  private holds(run: string): boolean {
    const { current } = this.journal.state;
    return current?.run === run && current.worker === this.ports.worker && !this.isStopped;
  }

  private async requestOf(run: string): Promise<RequestEvent> {
    const { current, waiting } = this.journal.state;
    const at = current?.run === run ? current.requested : waiting.find((w) => w.run === run)?.requested;
    return this.requests.get(run) ?? (await loadRequest(this.ports.log, this.journal.stream, at ?? 0));
  }

  private startDriver(current: CurrentRun): void {
    const controller = new AbortController();
    this.driving = { run: current.run, worker: current.worker, epoch: current.epoch, controller };
    if (current.isCancelRequested) controller.abort(new RunCancelled());
    this.ports.background.start('run', async () => {
      try {
        await this.drive(current, controller);
        // It was brought to its end elsewhere, and the journal, busy with an append, has not heard of it yet.
        if (this.holds(current.run)) await this.ports.clock.sleep(RETRY_MS);
      } catch (error) {
        if (!(error instanceof ClaimLost)) await this.pauseAfter(error, current.run);
      } finally {
        this.driving = null;
        this.driver = null;
        this.leave(current.run);
        this.react();
      }
    });
  }

  /** A run that is still ours, because its drive broke off, keeps its place and goes on from the log. */
  private leave(run: string): void {
    const isOurs = this.holds(run);
    this.brokenOff = isOurs ? run : null;
    if (isOurs || this.claiming === run) return;
    this.forget(run);
    this.ports.admission.release(run);
  }

  private forget(run: string): void {
    this.requests.delete(run);
    this.ports.toolboxes.forget(run);
  }

  private async drive(current: CurrentRun, controller: AbortController): Promise<void> {
    const { log, driver, logger, clock } = this.ports;
    const { run } = current;
    const request = await this.requestOf(run);
    const writer = new RunWriter(current, request.meta, (reason) => controller.abort(reason));
    const isFresh = current.epoch === 1 && this.brokenOff !== run;
    const context = isFresh
      ? await this.freshContext(request)
      : await loadContext(log, this.journal.stream, request);
    const config = await driver.contents.object(this.id, request.data.config);
    const begun = newRun({ ...request.data, config });
    const state = isFresh ? begun : await loadRun(log, this.journal.stream, request, begun);
    const { project } = request.meta;
    const toolbox = await this.openTools({ session: this.id, run, project, config }, controller.signal);
    const drive = { session: this.id, journal: this.journal, writer, state, context, toolbox, controller };
    const end = await this.driveWith(toolbox, new Driver(driver, drive));
    if (end === null) return;
    // After a clear the next run begins with nothing; of a clear before a take-over only the log knows.
    if (current.epoch === 1 && this.lastClear < current.claimed) this.context = context;
    const tookMs = clock.now() - request.time;
    logger.info({ run, session: this.id, project, status: end.kind, ms: tookMs }, 'run ended');
  }

  /** A run that is to end before its tools are open needs none. */
  private async openTools(request: ToolboxRequest, signal: AbortSignal): Promise<Toolbox> {
    try {
      return await this.ports.toolboxes.open(request, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return NO_TOOLS;
    }
  }

  private async driveWith(toolbox: Toolbox, driver: Driver): Promise<RunEnd | null> {
    this.driver = driver;
    if (this.isStopped) driver.drain();
    try {
      return await driver.drive();
    } finally {
      await toolbox.close();
    }
  }

  /** The context in which a run begins, from memory where no stranger has written meanwhile. */
  private async freshContext(request: RequestEvent): Promise<ContextFold> {
    const known = this.context;
    this.context = null;
    if (known === null) return loadContext(this.ports.log, this.journal.stream, request);
    known.begin(request.data.message);
    return known;
  }
}

const RETRY_MS = 500;
const NO_TOOLS: Toolbox = { tools: [], close: () => Promise.resolve() };

const DECISIVE: ReadonlySet<string> = new Set([
  'run_requested',
  'run_claimed',
  'run_cancel_requested',
  'agent_completed',
  'agent_error',
  'agent_cancelled',
]);
