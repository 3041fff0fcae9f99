import { CONTEXT_BUDGETS } from '#agent';
import { CallbackRelay, EventStreams } from '#delivery';
import { type EventLog, Follower, type FollowerPorts, type ContentKeys, LogUnavailable } from '#event-log';
import { type FileStore, SealedEventLog, SealedFileStore, StreamKeys } from '#vault';
import { SilentLogger } from '#platform';
import { ActionClock, type Core, EraseSession, Erasures, TaskClock, openCore } from '#runs';
import { SimBackground, SimClock, SimLogger, SimRandom } from '../engine/ports.js';
import type { Owner } from '../engine/scheduler.js';
import { OPEN_BOX, SimSender, WEBHOOK_SECRET } from './receivers.js';
import { SharedIds } from './shared-ids.js';
import { ArchivedFiles, type Files, SimFiles } from './sim-files.js';
import { type KeptProgress, SimKeys, SimProgress } from './sim-keys.js';
import { SimLog } from './sim-log.js';
import { SimModel } from './sim-model.js';
import { type SharedSeals, startSealer } from './sim-seals.js';
import { SimProjection } from './sim-projection.js';
import type { SimActionIndex } from './sim-action-index.js';
import { SimTaskIndex } from './sim-task-index.js';
import { SimToolboxes } from './sim-tools.js';
import type { SimWorld } from './sim-world.js';
import type { TaskWatch } from './task-watch.js';
import { LOCAL_SCHEMAS } from '../../support/local-schemas.js';

/** Room for two or three runs of a world. */
const SHORT_CONTEXTS = { flash: 120, base: 120, max: 120 };

export interface WorkerOptions {
  readonly maxSteps: number;
  readonly files: Files;
  /** What was put into files that may be removed. */
  readonly archive: Files;
  readonly progress: KeptProgress;
  /** Sessions with a run that has not ended. */
  readonly unfinished: () => readonly string[];
  readonly tasks: TaskWatch;
  readonly actions: SimActionIndex;
  readonly seals: SharedSeals;
  /** Numbers the lives of all workers of a world, from 1. */
  readonly nextLife: () => number;
}

/** One life of a worker, from its boot to its crash. */
export interface Life {
  readonly number: number;
  readonly owner: Owner;
  readonly core: Core;
  readonly log: EventLog;
  readonly streams: EventStreams;
  /** null in worlds without. */
  readonly taskClock: TaskClock | null;
  readonly actionClock: ActionClock | null;
  readonly relay: CallbackRelay | null;
  readonly erasing: { readonly eraser: EraseSession; readonly erasures: Erasures } | null;
  readonly sealer: { end(): Promise<void> } | null;
  /** Told when the process dies: the other ends of its connections. */
  readonly connections: Set<() => void>;
  /** Ends what goes on with runs of earlier lives. */
  readonly retiring: AbortController;
  isDraining: boolean;
}

type WorkerPorts = Omit<FollowerPorts, 'followers'> & { readonly log: EventLog };

interface Sealing {
  readonly keys: ContentKeys;
  readonly streams: StreamKeys;
  readonly files: FileStore;
}

/** Streams that the followers project. */
export const FOLLOWED = 'session-';

/** A replica: it has the same name in all its lives. */
export class SimWorker {
  life: Life | null = null;

  constructor(
    readonly replica: string,
    private readonly world: SimWorld,
    private readonly options: WorkerOptions,
  ) {}

  boot(): void {
    const { world } = this;
    const number = this.options.nextLife();
    const owner: Owner = { name: `${this.replica}${number}`, isAlive: true, isPaused: false };
    world.marks.hit('boot');
    const life = this.open(number, owner);
    this.life = life;
    // A process that is alone on its log goes on with everything; among several a supervisor decides.
    if (world.isExclusive) {
      const sessions = () => Promise.resolve(this.options.unfinished());
      life.core.recovery.start({ sessions }, life.retiring.signal);
    }
    life.taskClock?.start();
    life.actionClock?.start();
    life.relay?.start();
    life.erasing?.erasures.start();
  }

  /** The process is gone, from one instant to the next; what it had sent may still be on its way. */
  crash(): void {
    const { life } = this;
    if (life === null) return;
    this.life = null;
    life.owner.isAlive = false;
    this.world.scheduler.bury();
    this.world.ledger.open.delete(life.owner.name);
    for (const cut of life.connections) cut();
  }

  /** SIGTERM: what is under way comes to a good place, then the process ends. */
  drain(): void {
    const { life } = this;
    if (life === null || life.isDraining) return;
    life.isDraining = true;
    const ended = () => {
      if (this.life === life) this.crash();
    };
    this.close(life).then(ended, (error: unknown) => {
      this.world.violated('errors', `${this.replica} could not be stopped: ${String(error)}`);
    });
  }

  /** In the order in which the service closes. */
  private async close({ retiring, core, taskClock, actionClock, relay, ...more }: Life): Promise<void> {
    retiring.abort();
    await taskClock?.stop();
    await actionClock?.stop();
    await core.sessions.drain(20_000);
    await relay?.stop(3_000);
    await more.erasing?.erasures.stop();
    await more.sealer?.end();
  }

  private open(number: number, owner: Owner): Life {
    const { world } = this;
    const { scheduler } = world;
    const clock = new SimClock(scheduler, owner, number % 3 === 0 ? -90_000 : 0);
    const random = world.flaw === 'shared_claim_id' ? new SharedIds(number) : new SimRandom(number);
    const keys = world.parts.erasures ? new SimKeys(world, owner) : world.store.keys;
    const simLog = new SimLog(world, owner, clock, keys);
    const streamKeys = new StreamKeys(simLog, keys);
    const log = new SealedEventLog(simLog, streamKeys);
    const files = this.filesOf(owner, streamKeys);
    const ports = {
      log,
      clock,
      random,
      background: new SimBackground(owner, (name, error) => this.failed(name, error)),
      logger: new SimLogger((level, text, fields) => this.say(owner, level, text, fields)),
    };
    const core = openCore(
      {
        ...ports,
        files,
        model: new SimModel(world, owner),
        toolboxes: new SimToolboxes(world, owner),
        schemas: LOCAL_SCHEMAS,
      },
      {
        models: { flash: 'gpt-5-nano', base: 'gpt-5-mini', max: 'gpt-5' },
        maxRuns: world.maxRuns,
        maxSteps: this.options.maxSteps,
        runTimeoutMs: 600_000,
        contexts: world.parts.long ? SHORT_CONTEXTS : CONTEXT_BUDGETS,
        replica: this.replica,
        idempotencySecret: new Uint8Array(32),
      },
    );
    this.follow(owner, { log, clock, random });
    const streams = new EventStreams(log, core.contents);
    const taskClock = world.parts.tasks ? this.taskClock(owner, core, ports) : null;
    const index = this.options.actions;
    const actionClock = world.parts.actions
      ? new ActionClock({ ...ports, sessions: core.sessions, index })
      : null;
    const relay = world.parts.callbacks ? this.relay(owner, core, ports) : null;
    const erasing = world.parts.erasures
      ? this.erasing(owner, core, ports, { keys, streams: streamKeys, files })
      : null;
    const sealer = world.parts.seals ? startSealer(this.options.seals, world, owner, ports) : null;
    const doors = {
      sealer,
      streams,
      taskClock,
      actionClock,
      relay,
      erasing,
      connections: new Set<() => void>(),
    };
    return { number, owner, core, log, ...doors, retiring: new AbortController(), isDraining: false };
  }

  private filesOf(owner: Owner, keys: StreamKeys): FileStore {
    const { files, archive } = this.options;
    const plain = new SimFiles(files, this.world, owner);
    return this.world.parts.erasures ? new ArchivedFiles(new SealedFileStore(plain, keys), archive) : plain;
  }

  private erasing(owner: Owner, core: Core, ports: WorkerPorts, sealing: Sealing): Life['erasing'] {
    const progress = new SimProgress(this.options.progress, this.world, owner);
    const onFatal = this.ended('the erasures', owner);
    const { sessions, commands, tasks } = core;
    const erasures = new Erasures({
      ...ports,
      ...sealing,
      checkpoints: progress,
      knowing: [sessions],
      onFatal,
    });
    return {
      erasures,
      eraser: new EraseSession({ ...ports, ...sealing, sessions, commands, tasks, erasures }),
    };
  }

  private ended(part: string, owner: Owner) {
    return (error: unknown): void =>
      this.world.violated('errors', `${part} of ${owner.name} ended: ${String(error)}`);
  }

  private taskClock(owner: Owner, { maker, firings }: Core, ports: WorkerPorts): TaskClock {
    const index = new SimTaskIndex(this.world, owner, this.options.tasks);
    return new TaskClock({ ...ports, onFatal: this.ended('the task clock', owner), maker, firings, index });
  }

  private relay(owner: Owner, { contents }: Core, ports: WorkerPorts): CallbackRelay {
    return new CallbackRelay({
      ...ports,
      contents,
      box: OPEN_BOX,
      sender: new SimSender(this.world, owner),
      secretOf: () => WEBHOOK_SECRET,
      onFatal: this.ended('the relay', owner),
    });
  }

  /** A projection of the sessions, beside those of the other workers. */
  private follow(owner: Owner, ports: Pick<FollowerPorts, 'log' | 'clock' | 'random'>): void {
    const { world } = this;
    if (world.table === null) return;
    const follower = new Follower(
      {
        name: 'sessions',
        prefixes: [FOLLOWED],
        target: new SimProjection(world.table, world, owner),
        onFatal: (error) => world.violated('errors', `a follower of ${owner.name} ended: ${String(error)}`),
      },
      {
        ...ports,
        background: new SimBackground(owner, (name, error) => this.failed(name, error)),
        logger: new SilentLogger(),
      },
    );
    follower.start();
  }

  private failed(name: string, error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.world.scheduler.trace.note(this.world.scheduler.now, this.replica, () => `${name} failed: ${text}`);
    this.world.marks.hit('background work failed');
    if (!(error instanceof LogUnavailable) && !isExpected(error))
      this.world.violated('errors', `${name} of ${this.replica} failed: ${text}`);
  }

  private say(owner: Owner, level: 'info' | 'warn' | 'error', text: string, fields: object): void {
    const { scheduler } = this.world;
    scheduler.trace.note(scheduler.now, owner.name, () => `${level}: ${text} ${describe(fields)}`);
    if (level === 'error' && owner.isAlive) this.world.violated('errors', `${text} ${describe(fields)}`);
  }
}

const isExpected = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'ClaimLost' || error.name === 'RunStopped');

function describe(fields: object): string {
  return JSON.stringify(fields, (_key, value: unknown) =>
    value instanceof Error ? (value.stack ?? value.message) : value,
  );
}
