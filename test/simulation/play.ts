import { sessionStream } from '#domain';
import type { RecordedEvent } from '#event-log';
import { isHouseStream } from '../../libs/sealer/src/proof-log.js';
import { check } from './checker/check.js';
import { Scheduler } from './engine/scheduler.js';
import type { Tape } from './engine/tape.js';
import { Trace } from './engine/trace.js';
import type { Flaw } from './world/flaws.js';
import { DeliveryWatch } from './world/delivery-watch.js';
import { SimActionIndex } from './world/sim-action-index.js';
import { DecidingClients } from './world/deciding-clients.js';
import { newLedger } from './world/ledger.js';
import { LogStore } from './world/log-store.js';
import { Marks } from './world/marks.js';
import { type Part, partsOf } from './world/parts.js';
import { Scenario } from './world/scenario.js';
import { SessionWatch } from './world/session-watch.js';
import { SharedSeals } from './world/sim-seals.js';
import { SimClients } from './world/sim-clients.js';
import type { Files } from './world/sim-files.js';
import { ProjectedTable } from './world/sim-projection.js';
import { FOLLOWED, SimWorker } from './world/sim-worker.js';
import { type SimWorld, immortal } from './world/sim-world.js';
import { Supervisors } from './world/supervisors.js';
import { TaskWatch } from './world/task-watch.js';
import { newTranscript } from './world/transcript.js';
import { Troubles } from './world/troubles.js';
import { drawWeather } from './world/weather.js';

const START = Date.UTC(2026, 0, 1);
const HURT_STEPS = 400;
const HEAL_STEPS = 5_000;
/** More of each where there is more to do. */
const STEPS_A_PART = 150;
const HEAL_STEPS_A_PART = 15_000;
/** Attempts to send an event that fail: the waits after them are over in a few minutes, or take more than a day. */
const FEW_FAILURES = 3;
const MANY_FAILURES = 12;
/** Recurring tasks go on for so long when all is well again. */
const TASKS_GO_ON_MS = 70_000;
const REPLICAS = ['a', 'b', 'c'];

export interface PlayOptions {
  readonly flaw?: Flaw | null;
  /** Keep the text of what happened. */
  readonly isTraced?: boolean;
  /** A worker dies after each of its appends that moves a run on. */
  readonly alwaysCrash?: boolean;
  /** What the world has; absent: runs with plain tools. */
  readonly parts?: readonly Part[];
  /** Forks are looked at of every event, not only of a few. */
  readonly isEveryFork?: boolean;
}

export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

export interface Play {
  readonly violation: Violation | null;
  readonly hash: string;
  readonly steps: number;
  readonly choices: readonly number[];
  readonly marks: Marks;
  readonly trace: Trace;
  readonly log: readonly RecordedEvent[];
  readonly files: Files;
}

/** One world from its beginning to its end: hurt, healed, and looked at. */
export async function play(tape: Tape, options: PlayOptions = {}): Promise<Play> {
  const game = new Game(tape, options);
  await game.run();
  const { scheduler, marks } = game.world;
  const { trace } = scheduler;
  return {
    violation: game.violation,
    hash: trace.hash,
    steps: scheduler.steps,
    choices: tape.choices,
    marks,
    trace,
    log: game.world.store.all,
    files: game.files,
  };
}

class Game {
  violation: Violation | null = null;
  readonly world: SimWorld;
  private readonly workers: SimWorker[];
  private readonly watch: SessionWatch;
  private readonly tasks: TaskWatch;
  private readonly deliveries: DeliveryWatch;
  private readonly transcript = newTranscript();
  private readonly clients: SimClients;
  private readonly scenario: Scenario;
  private readonly supervisors: Supervisors;
  private readonly troubles: Troubles;
  readonly files: Files = new Map();
  private readonly archive: Files = new Map();
  private readonly seals = new SharedSeals();
  private hasResumed = false;

  constructor(
    private readonly tape: Tape,
    private readonly options: PlayOptions,
  ) {
    const { flaw = null, isTraced = false, alwaysCrash = false } = options;
    const parts = partsOf(options.parts ?? []);
    const count = 1 + tape.choose(REPLICAS.length);
    const weather = drawWeather(tape, parts);
    const store = new LogStore(flaw);
    const world: SimWorld = {
      scheduler: new Scheduler(tape, new Trace(isTraced), START, weather.disorder),
      tape,
      weather,
      store,
      ledger: newLedger(parts.callbacks && !parts.tasks && tape.choose(2) > 0 ? MANY_FAILURES : FEW_FAILURES),
      marks: new Marks(),
      parts,
      flaw,
      isExclusive: count === 1,
      maxRuns: [8, 2, 1][tape.choose(3)] ?? 8,
      table: tape.choose(4) === 3 ? new ProjectedTable() : null,
      violated: (invariant, detail) => (this.violation ??= { invariant, detail }),
    };
    this.world = world;
    this.watch = new SessionWatch(store);
    this.tasks = new TaskWatch(store);
    this.deliveries = new DeliveryWatch(store);
    const maxSteps = tape.choose(4) === 3 ? 2 : 50;
    let lives = 0;
    const actions = new SimActionIndex(world, this.watch);
    const setup = {
      maxSteps,
      files: this.files,
      archive: this.archive,
      progress: { checkpoint: null },
      unfinished: () => this.watch.unfinished(),
      tasks: this.tasks,
      actions,
      seals: this.seals,
      nextLife: () => ++lives,
    };
    this.workers = REPLICAS.slice(0, count).map((replica) => new SimWorker(replica, world, setup));
    this.clients = new SimClients(world, this.workers, this.transcript, this.archive);
    const deciding = new DecidingClients(world, this.clients, this.transcript.verdicts, actions);
    if (parts.actions) deciding.listen();
    this.scenario = new Scenario(
      tape,
      this.clients,
      parts,
      () => this.tasks.names,
      () => world.scheduler.now,
    );
    this.supervisors = new Supervisors(world, this.workers, this.watch);
    this.troubles = new Troubles(world, this.workers, this.supervisors, alwaysCrash);
  }

  async run(): Promise<void> {
    for (const worker of this.workers) worker.boot();
    await this.hurt();
    if (this.violation === null) await this.heal();
    if (this.violation !== null) return;
    const { table } = this.world;
    this.violation = await check({
      log: this.world.store.all,
      transcript: this.transcript,
      ledger: this.world.ledger,
      textOf: (session, file) => this.textOf(`${session}/${file}`),
      files: this.files,
      archive: this.archive,
      destroyed: this.world.store.destroyed,
      nameOf: (worker) => nameOfLife(worker),
      projection: table && { prefix: FOLLOWED, rows: table.rows, position: table.checkpoint?.position ?? 0 },
      marks: this.world.marks,
      parts: this.world.parts,
      isExclusive: this.world.isExclusive,
      isEveryFork: this.options.isEveryFork === true,
      seals: this.world.parts.seals ? this.seals : null,
    });
  }

  private textOf(name: string): string {
    return Buffer.from(this.archive.get(name) ?? this.files.get(name) ?? []).toString();
  }

  private async hurt(): Promise<void> {
    const { scheduler } = this.world;
    const parts = this.options.parts?.length ?? 0;
    const steps = (HURT_STEPS + parts * STEPS_A_PART) * (this.options.alwaysCrash === true ? 5 : 1);
    while (scheduler.steps < steps && this.violation === null) {
      this.troubles.strike();
      if (!this.scenario.isOver && (scheduler.steps === 0 || this.tape.chance(60))) this.scenario.act();
      if (await scheduler.step()) continue;
      if (this.scenario.isOver) return;
      this.scenario.act();
    }
  }

  /** No faults any more: everything that was begun must come to its end. */
  private async heal(): Promise<void> {
    const { scheduler, store, trace } = { ...this.world, trace: this.world.scheduler.trace };
    this.tape.calm();
    trace.add(scheduler.now, 'world', 'heal');
    store.fullUntil = 0;
    store.unreadableUntil = 0;
    this.troubles.end();
    this.supervisors.startWatching();
    if (this.world.parts.tasks) this.endTasks(TASKS_GO_ON_MS);
    const until = scheduler.steps + HEAL_STEPS + (this.options.parts?.length ?? 0) * HEAL_STEPS_A_PART;
    while (this.violation === null && !this.isDone()) {
      if (scheduler.steps < until && (await scheduler.step())) continue;
      this.world.violated('I8', this.unfinishedBusiness());
    }
  }

  /** Recurring tasks never end by themselves, nor do paused ones. */
  private endTasks(ms: number): void {
    this.world.scheduler.after(immortal('client'), ms, 'end the tasks', () => {
      const { states } = this.tasks;
      for (const task of this.tasks.unfinished())
        if (states.get(task)?.status === 'paused' || states.get(task)?.definition.schedule.kind === 'cron')
          this.clients.commandTask(task, 'cancel');
      this.endTasks(TASKS_GO_ON_MS);
    });
  }

  private isDone(): boolean {
    if (this.watch.openCount > 0 || this.clients.open > 0 || this.isBehind()) return false;
    if (this.deliveries.unsettled().length > 0) return false;
    if (this.tasks.unfinished().length > 0 || this.tasks.unstarted(Infinity).length > 0) return false;
    if (this.mustForget().length > 0 || this.isUnsealed()) return false;
    if (this.hasResumed) return true;
    // Once more everything that was said, from every place on.
    this.hasResumed = this.clients.resumeEverywhere();
    return false;
  }

  /** What is still held of sessions that are erased. */
  private mustForget(): string[] {
    const { parts, store } = this.world;
    if (!parts.erasures) return [];
    const { erased } = this.watch;
    const held: string[] = [];
    for (const session of erased) {
      const [first] = store.stream(sessionStream(session));
      if (!store.destroyed.has(first?.meta.keyId ?? '')) held.push(`the key of ${session}`);
      if (this.transcript.connections.some((stream) => stream.session === session && stream.end === 'open'))
        held.push(`a stream of ${session}`);
    }
    for (const { life, replica } of this.workers) {
      if (life === null) continue;
      for (const { id } of life.core.sessions.active())
        if (erased.has(id)) held.push(`${id} at work in ${replica}`);
      if (life.core.admission.running > 0) held.push(`a place in ${replica}`);
    }
    return held;
  }

  private isBehind(): boolean {
    const { store, table } = this.world;
    if (table === null) return false;
    const last = store.all.findLast((event) => event.stream.startsWith(FOLLOWED));
    return (table.checkpoint?.position ?? 0) < (last?.position ?? 0);
  }

  /** Something of another than the house is not sealed, or the seal is not told. */
  private isUnsealed(): boolean {
    if (!this.world.parts.seals) return false;
    const { tree } = this.seals.store.tables;
    const { all } = this.world.store;
    const last = all.findLast(({ stream }) => !isHouseStream(stream));
    const { published, stop } = this.seals.store.row;
    const isBehind = (tree?.position ?? 0) < (last?.position ?? 0);
    return isBehind || stop !== null || (published?.seal ?? 0) < (tree?.seal ?? 0);
  }

  private unfinishedBusiness(): string {
    const runs = [...this.watch.open].join(', ');
    return `after ${this.world.scheduler.steps} steps: ${this.clients.open} clients wait, runs open: ${runs || 'none'}${this.isBehind() ? ', a follower is behind' : ''}, tasks: ${this.tasks.unfinished().join()}, unsettled: ${this.deliveries.unsettled().join()}, held: ${this.mustForget().join()}`;
  }
}

/** A worker's id holds its replica, and its boot begins with the number of its life. */
function nameOfLife(worker: string): string {
  const [replica = '', boot = ''] = worker.split(':');
  return `${replica}${Number.parseInt(boot.slice(0, 4), 16)}`;
}
