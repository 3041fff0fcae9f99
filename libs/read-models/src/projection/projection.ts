import {
  CheckpointRefused,
  Follower,
  type FollowerPorts,
  type FollowerStatus,
  LogUnavailable,
} from '#event-log';
import { ContentStore, type FileStore } from '#vault';
import type { MetadataTokens } from '../metadata-tokens.js';
import type { Database } from '../postgres/database.js';
import { PROJECTED_PREFIXES, Projector, type ProjectorPorts } from './projector.js';
import type { ReadModelStore } from './rows.js';

export interface Check {
  readonly ok: boolean;
  readonly detail?: string;
}

export interface ProjectionPorts extends FollowerPorts {
  readonly store: ReadModelStore;
  readonly files: FileStore;
  readonly tokens: MetadataTokens;
  readonly database: Database;
  /** What is made good in the background while rows are written. */
  readonly afterStart?: { run(): Promise<void>; stop(): void };
  readonly onFatal?: ((error: unknown) => void) | undefined;
}

/**
 * Rows are a summary: whoever waits for them hurries the batch, and fewer, larger transactions leave the processor to the
 * runs.
 */
const BATCH_MS = 100;
/** Failures in a row after which the projection is not just late. */
const MANY_FAILURES = 5;

/** The running projection of this process, from start to stop. Owns the follower. */
export class Projection {
  readonly follower: Follower;
  private readonly projector: Projector;
  private fatal: string | null = null;
  private isStopped = false;

  constructor(private readonly ports: ProjectionPorts) {
    const projectorPorts: ProjectorPorts = { ...ports, content: new ContentStore(ports.files) };
    const target = (this.projector = new Projector(projectorPorts));
    const onFatal = (error: unknown): void => this.failed(error);
    // Other processes wait for the checkpoint; where there are none it is written when it says something.
    const idle = ports.log.exclusive ? {} : { idleCheckpointMs: 0 };
    this.follower = new Follower(
      { name: 'read-models', prefixes: PROJECTED_PREFIXES, target, onFatal, batchMs: BATCH_MS, ...idle },
      ports,
    );
  }

  /** Streams that are parked now. */
  get parkedStreams(): number {
    return this.projector.parkedStreams;
  }

  /** Begins when the tables are there. */
  start(): void {
    const { background, database } = this.ports;
    background.start('begin the projection', async () => {
      await database.ready.catch(() => undefined);
      if (!database.isOpen || this.isStopped) return;
      this.follower.start();
      await this.ports.afterStart?.run();
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.ports.afterStart?.stop();
    await this.follower.stop();
  }

  async health(): Promise<Check> {
    if (this.fatal !== null) return { ok: false, detail: this.fatal };
    // The status asks the log where it ends, and one that is away may take its time to say nothing.
    if (!(await this.ports.log.health()).ok) return { ok: false, detail: 'the log is not well' };
    try {
      return healthOf(await this.follower.status(), this.parkedStreams);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      return { ok: false, detail: error.message };
    }
  }

  private failed(error: unknown): void {
    this.fatal = error instanceof Error ? error.message : String(error);
    if (error instanceof CheckpointRefused) this.fatal += '; npm run rebuild makes the tables anew';
    this.ports.logger.error({ reason: this.fatal }, 'nothing is projected any more');
    this.ports.onFatal?.(error);
  }
}

/** Streams that are parked are for the operator to look at; the service is as ready as it was. */
function healthOf({ failures }: FollowerStatus, parked: number): Check {
  if (failures >= MANY_FAILURES) return { ok: false, detail: `failed ${failures} times in a row` };
  return parked === 0 ? { ok: true } : { ok: true, detail: `streams that cannot be projected: ${parked}` };
}
