import { ClaimLost, Journal } from '#agent';
import {
  type CurrentRun,
  asSessionEvent,
  decideClaimNext,
  decideTakeOver,
  forkOf,
  isEndType,
  isTurnEndType,
  knownSessionEvent,
  isIdle,
  isLeftToServer,
  isParked,
  sessionStream,
  type RunId,
} from '#domain';
import type { RecordedEvent } from '#event-log';
import { CHANGES_CONTEXT, DECISIVE, TOLD_TO_DRIVER } from './decisive-events.js';
import { afterBrokenDrive } from './end-unreadable.js';
import { KnownRequests } from './known-requests.js';
import { KnownContext } from './known-context.js';
import { type LoadedSession, loadContext, readCharsOf } from './load-session.js';
import { RETRY_MS, RunClaims } from './run-claims.js';
import { RunDrive } from './run-drive.js';
import { ServerTasks } from './server-tasks.js';
import type { IsLeft, SessionPorts } from './session-ports.js';
import { StreamWatch } from './stream-watch.js';

/**
 * One session in this process: its journal, its context, and the run that this process drives.
 *
 * It acts on what is committed, nothing else: a claim of ours starts the driver, a cancel stops it, an end lets the next
 * run that this replica accepted claim its turn.
 */
export class Session {
  readonly journal: Journal;
  readonly context: KnownContext;
  private driving: RunDrive | null = null;
  private readonly watch: StreamWatch;
  private readonly claims: RunClaims;
  readonly tasks: ServerTasks;
  private users = 0;
  isStopped = false;
  /** Runs that wait here although the replica that accepted them is gone. */
  private readonly adopted = new Set<string>();
  /** A run of ours whose drive ended before the run did. */
  private brokenOff: string | null = null;
  private readonly requests: KnownRequests;

  constructor(
    readonly id: string,
    private readonly ports: SessionPorts,
    start?: LoadedSession,
  ) {
    this.context = new KnownContext(id, start === undefined);
    const { log, clock, random, background } = ports;
    this.journal = new Journal(
      sessionStream(id),
      { log, clock, random, start: (name, work) => background.start(name, work) },
      { committed: (events) => this.committed(events) },
      start,
    );
    this.requests = new KnownRequests(log, this.journal.stream);
    this.watch = new StreamWatch(this.journal, ports);
    this.claims = new RunClaims(this, this.requests, ports);
    this.tasks = new ServerTasks(this, this.requests, ports);
  }

  /** Whether it may be forgotten: nothing runs, waits or is being written here, and nobody is about to write. */
  get isAtRest(): boolean {
    if (this.users > 0 || this.driving !== null || this.tasks.areAsked || !this.journal.isQuiet) return false;
    return this.isWaitedFor || this.isStopped;
  }

  /**
   * Nothing is to be done here before somebody comes. Where others write, too, who has the credentials of a run that waits
   * must hear that it goes on, and so must who has accepted the next one.
   */
  private get isWaitedFor(): boolean {
    const { state } = this.journal;
    const { current, waiting } = state;
    if (current === null || !isParked(state)) return isIdle(state);
    return this.ports.log.exclusive || (waiting.length === 0 && !this.ports.toolboxes.knows(current.run));
  }

  /** It is not at rest, and so not forgotten, while the work goes on. */
  async inUse<T>(work: () => Promise<T>): Promise<T> {
    this.users++;
    try {
      return await work();
    } finally {
      this.users--;
    }
  }

  /** Whether the run is driven here, or about to be. */
  isDriving(run: RunId): boolean {
    return this.driving?.run === run || this.claims.isClaiming(run);
  }

  /** Looks at what is to be done, e.g. after it was loaded or when there is room again. */
  react(): void {
    const { current, waiting } = this.journal.state;
    this.ports.admission.note(this.id, this.journal.state);
    this.driving?.supervise(current);
    if (this.isStopped) return;
    this.tasks.supervise(current);
    if (!this.isWaitedFor) this.watch.start();
    if (this.driving !== null) return;
    if (current?.park === 'woken') return this.takeOver();
    if (current?.worker === this.ports.worker && current.park === undefined) return this.startDriver(current);
    const next = waiting[0];
    const isOurs = next?.replica === this.ports.replica || this.adopted.has(next?.run ?? '');
    if (current === null && next && isOurs) return this.claimNext(next.run);
    if (this.isWaitedFor) this.rest();
  }

  /** Knows all that is on the log now. At once where nobody else writes, or where it follows its stream anyway. */
  async refresh(): Promise<void> {
    if (this.watch.isNeedless) return;
    await this.journal.refresh();
  }

  private rest(): void {
    this.watch.stop();
    this.ports.rested();
  }

  /** Goes on with what was left: the run under way, and those that wait their turn. Who claimed one since then keeps it. */
  adopt(isLeft: IsLeft = () => true): void {
    const { current, waiting } = this.journal.state;
    for (const { run, replica } of waiting) if (isLeft(run, replica)) this.adopted.add(run);
    if (current !== null && isLeft(current.run, current.worker)) this.takeUp(current);
    this.react();
  }

  /** Whoever asked the servers of a run that waits for them is gone; nobody has to where they are asked for already. */
  private takeUp(current: CurrentRun): void {
    const isAskedFor = current.actions.some(({ kind }) => kind === 'tool_servers');
    if (isLeftToServer(current) && !isAskedFor) this.tasks.wake(current.run);
    else this.takeOver();
  }

  /** Starts nothing any more, and lets the run under way come to the end of its turn or its tool calls. */
  drain(): void {
    this.isStopped = true;
    this.driving?.drain();
  }

  /** Drives nothing any more; the run under way is left for whoever claims it next. */
  stop(): void {
    this.isStopped = true;
    this.watch.stop();
    this.tasks.stop();
    this.driving?.stop();
  }

  private committed(events: readonly RecordedEvent[]): void {
    let isNews = false;
    const over: string[] = [];
    for (const event of events) {
      if (event.type === 'run_requested') this.requests.note(event);
      else if (this.isUnseen(event)) this.context.forget();
      if (event.type === 'run_claimed') this.driving?.heardClaim(event.meta.run ?? '', event.revision);
      if (TOLD_TO_DRIVER.has(event.type)) this.tellDriver(event);
      if (isTurnEndType(event.type)) this.driving?.placed(event);
      // What a run under way knows is neither cleared nor added to.
      if (CHANGES_CONTEXT.has(event.type)) this.context.clear(event.revision);
      if (event.type === 'session_erased') over.push(...this.erased());
      if (isEndType(event.type)) over.push(event.meta.run ?? '');
      isNews ||= DECISIVE.has(event.type);
    }
    for (const run of over) this.letGo(run);
    if (isNews) this.react();
  }

  /** Decisions, their results and messages come from anybody; all else about its run a driver has written itself. */
  private tellDriver(event: RecordedEvent): void {
    const known = knownSessionEvent(event);
    if (known === null || (known.type === 'tool_call_completed' && known.data.action === undefined)) return;
    this.driving?.hear(known);
  }

  /** Every copy of what was said goes, and whatever works with one. Returns the runs that are over. */
  private erased(): readonly string[] {
    this.context.forget();
    const over = this.requests.runs;
    for (const run of over) this.forget(run);
    this.driving?.lose();
    return over;
  }

  /** The run is over. One of ours may have waited with its place for the drive of the run before, which others have ended. */
  private letGo(run: RunId): void {
    if (this.driving?.run === run) return;
    this.forget(run);
    if (!this.claims.isClaiming(run)) this.ports.admission.release(run);
  }

  /** Whether the event changes the context in a way that no driver of ours sees to: a stranger's claim does, and a fork's begin. */
  private isUnseen(event: RecordedEvent): boolean {
    if (event.type !== 'run_claimed' && event.type !== 'session_opened') return false;
    const known = asSessionEvent(event);
    if (known.type === 'session_opened') return forkOf(known.data) !== null;
    return known.type === 'run_claimed' && known.data.worker !== this.ports.worker;
  }

  /**
   * Claims the run under way, whose worker is known to be gone, or on which somebody has decided while nobody drove it.
   * Nothing happens where it is driven here, waits, has ended, or somebody else was faster than there was room here.
   */
  private takeOver(left = this.journal.state.current): void {
    const { current } = this.journal.state;
    if (this.isStopped || current === null || isParked(this.journal.state)) return;
    const { run, epoch, park, worker } = current;
    if (run !== left?.run || epoch !== left.epoch) return;
    if (worker === this.ports.worker && park === undefined) return;
    this.claims.claim(
      run,
      () => this.takeOver(current),
      (state) => decideTakeOver(state, run, epoch, this.ports.worker),
      async (request) => park !== 'woken' || (await this.claims.mayWake(current, request)),
    );
  }

  private claimNext(run: RunId): void {
    this.claims.claim(
      run,
      () => this.react(),
      (state, { data }) => decideClaimNext(state, run, this.ports.worker, data),
    );
  }

  /** Whether the run is claimed by this process, as far as is known, and to be driven by it. */
  holds(run: RunId): boolean {
    const { current } = this.journal.state;
    const isOurs = current?.run === run && current.worker === this.ports.worker;
    return isOurs && current.park === undefined && !this.isStopped;
  }

  private startDriver(current: CurrentRun): void {
    const { ports } = this;
    const driving = new RunDrive(this, current, ports);
    this.driving = driving;
    ports.background.start('run', async () => {
      try {
        await this.drive(driving, current);
        // It was claimed, or brought to its end, elsewhere, and the journal has not heard of it yet.
        if (this.holds(current.run)) await ports.clock.sleep(RETRY_MS);
      } catch (error) {
        if (!(error instanceof ClaimLost)) await afterBrokenDrive(error, current, this, this.requests, ports);
      } finally {
        this.driving = null;
        this.leave(current.run);
        this.react();
      }
    });
  }

  private async drive(driving: RunDrive, { run, epoch, claimed, steered }: CurrentRun): Promise<void> {
    const request = await this.requests.readable(run, this.journal.state);
    const isFirst = epoch === 1 && steered.length === 0 && this.brokenOff !== run;
    const isBegun = !isFirst || request.data.retry_of !== undefined;
    const kept = this.context.take();
    const known = isBegun ? null : kept;
    // It stands behind its claim, in the same append.
    known?.fold.begin(request.data, claimed + 1);
    const context = known
      ? { ...known, upTo: claimed, chain: [request] }
      : await loadContext(this.ports.log, this.id, request, claimed, readCharsOf(this.ports.driver.contexts));
    if (context === null) return;
    const end = await driving.drive(request, context, isBegun);
    const isKnown = end !== null && !driving.wasRefused;
    if (isKnown && epoch === 1) this.context.keep(context, claimed);
  }

  /** A run that is still ours, because its drive broke off, keeps its place and goes on from the log. */
  private leave(run: RunId): void {
    const isOurs = this.holds(run);
    this.brokenOff = isOurs ? run : null;
    if (isOurs || this.claims.isClaiming(run)) return;
    if (this.isOnHold(run)) {
      this.requests.forget(run);
      this.ports.toolboxes.hold(run, this.journal.state.project ?? '');
    } else this.forget(run);
    this.ports.admission.release(run);
  }

  /** It waits, or is about to go on: the credentials of its tool servers are kept. */
  private isOnHold(run: RunId): boolean {
    const { current } = this.journal.state;
    return current?.run === run && current.park !== undefined;
  }

  private forget(run: RunId): void {
    this.requests.forget(run);
    this.adopted.delete(run);
    this.ports.toolboxes.forget(run);
  }
}
