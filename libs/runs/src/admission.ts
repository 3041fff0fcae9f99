import { Problem, type SessionState, isIdle, type ProjectId, type RunId, type SessionId } from '#domain';
import { TurnOrder } from '#platform';
import { Entrants } from './entrants.js';
import { QueuedRuns, RETRY_AFTER_S } from './queued-runs.js';

/** Runs that may wait for room, for each that may be driven. */
const WAITING_PER_RUN = 4;

interface WaitingForRoom {
  readonly run: RunId;
  readonly weight: 1;
  wake: () => void;
}

/** A run that is about to be written to a session. */
export interface EnteringRun {
  readonly run: RunId;
  readonly project: ProjectId;
  /** It has a place already. */
  readonly hasRoom: boolean;
}

/** What one project may have in a process. */
export interface ProjectShares {
  /** Runs that are driven. */
  readonly maxRuns?: number;
  /** Runs that wait, for room or behind another of their session. */
  readonly maxQueued?: number | undefined;
}

/**
 * Bounds the runs that are driven at the same time in this process, and those that wait: all of them, and those of a
 * project. Who finds no room is called when there is, in turns by project: see TurnOrder.
 */
export class RunAdmission {
  /** Project of each run that has a place, and of each that waits for one. */
  private readonly taken = new Map<string, string>();
  private readonly waiters = new Map<string, readonly [project: ProjectId, WaitingForRoom]>();
  private readonly order: TurnOrder<WaitingForRoom>;
  /** What will wait, and is on its way to the log: a burst is decided before any of it is there. */
  private readonly entrants = new Entrants();
  readonly queued: QueuedRuns;

  /**
   * @param mayClaim whether this process may claim runs at all now: see Membership
   * @param shares of one project: absent: all that there is
   */
  constructor(
    private readonly maxRuns: number,
    private readonly mayClaim: () => boolean = () => true,
    { maxRuns: maxRunsEach = maxRuns, maxQueued }: ProjectShares = {},
  ) {
    this.order = new TurnOrder(maxRunsEach);
    this.queued = new QueuedRuns(maxQueued);
  }

  get running(): number {
    return this.taken.size;
  }

  /** The project of each run that is driven. */
  projects(): Iterable<string> {
    return this.taken.values();
  }

  get waiting(): number {
    return this.waiters.size;
  }

  /**
   * So many wait at most as this process can drive within a few turns. A project that has not its part of those that wait
   * comes in all the same, so that none keeps the others out.
   * @throws Problem rate_limited where so many wait already that one more would wait for ever
   */
  requireRoom(project = ''): void {
    const { order, entrants } = this;
    const waiting = this.waiting + entrants.size;
    if (this.isFree(project) || waiting < this.maxRuns * WAITING_PER_RUN) return;
    const own = order.waitingOf(project) + entrants.of(project);
    const entering = [...entrants.projects()].filter((name) => order.waitingOf(name) === 0);
    const projects = order.waitingNames + entering.length + (own === 0 ? 1 : 0);
    if (own < waiting / projects) return;
    throw new Problem('rate_limited', `${waiting} runs wait for room (MAX_RUNS); try again later`, {
      retryAfterS: RETRY_AFTER_S,
    });
  }

  /**
   * For a run that is about to be written to a session: where it will wait, it counts as one of those that do until what
   * is returned is called; by then it is seen in the session.
   * @throws Problem rate_limited
   */
  enter({ run, project, hasRoom }: EnteringRun, id: SessionId, session: SessionState): () => void {
    if (hasRoom && isIdle(session)) return () => undefined;
    if (!hasRoom && !this.isComing(id, run)) this.requireRoom(project);
    const leaveQueue = this.queued.enter(project);
    if (hasRoom || !isIdle(session)) return leaveQueue;
    const leave = this.entrants.enter(id, run, project);
    return () => {
      leave();
      leaveQueue();
    };
  }

  /** Whether the run is counted already: one that its key repeats takes no more than it has. */
  isComing(session: SessionId, run: RunId): boolean {
    return this.taken.has(run) || this.waiters.has(run) || this.entrants.has(session, run);
  }

  /** What is known of a session now. */
  note(id: SessionId, session: SessionState): void {
    this.queued.note(id, session.project, session.waiting.length);
    if (!isIdle(session)) this.entrants.seen(id);
  }

  /** Takes a place for the run, if there is one. A run that has a place keeps it. */
  tryTake(run: RunId, project = ''): boolean {
    if (this.taken.has(run)) return true;
    if (!this.isFree(project) || !this.mayClaim()) return false;
    this.taken.set(run, project);
    this.order.took(project, 1);
    return true;
  }

  /** Takes a place, or has `wake` called once there may be one. */
  takeOrWait(run: RunId, wake: () => void, project = ''): boolean {
    if (this.tryTake(run, project)) {
      this.leave(run);
      return true;
    }
    const known = this.waiters.get(run);
    if (known !== undefined) known[1].wake = wake;
    else this.wait(run, project, wake);
    return false;
  }

  release(run: RunId): void {
    this.leave(run);
    const project = this.taken.get(run);
    if (project === undefined) return;
    this.taken.delete(run);
    this.order.gaveBack(project, 1);
    this.wakeWaiters();
  }

  /** Claims are possible again: whoever waits is called. */
  reconsider(): void {
    this.wakeWaiters();
  }

  private isFree(project: ProjectId): boolean {
    return this.taken.size < this.maxRuns && this.order.mayHold(project, 1);
  }

  private wait(run: RunId, project: ProjectId, wake: () => void): void {
    const waiter: WaitingForRoom = { run, weight: 1, wake };
    this.waiters.set(run, [project, waiter]);
    this.order.wait(project, waiter);
  }

  private leave(run: RunId): void {
    const known = this.waiters.get(run);
    if (known === undefined) return;
    this.waiters.delete(run);
    this.order.leave(...known);
  }

  /** Whoever is woken may have nothing to drive any more: then the place is the next one's. */
  private wakeWaiters(): void {
    for (let left = this.waiters.size; left > 0; left--) {
      if (this.taken.size >= this.maxRuns || !this.mayClaim()) return;
      const next = this.order.next();
      if (next === null) return;
      const [, waiter] = next;
      this.leave(waiter.run);
      waiter.wake();
    }
  }
}
