import type { Position } from '#domain';
import type { Clock } from '#platform';
import type { EventLog } from '../event-log.js';
import type { FollowerTarget } from './follower.js';

/** Longest wait (ms) of a query for the projection, before it answers with stale data. */
const PATIENCE_MS = 2_000;
const LOOK_MS = 25;

/**
 * Progress of a follower: in memory for one of this process, read from its stored checkpoint for another's.
 */
export interface FollowerProgress {
  /** Resolves when everything up to `position` was handled. @throws the signal's reason; what reading throws */
  reached(position: Position, signal: AbortSignal): Promise<void>;
}

/** Progress of a follower in another process, by polling its checkpoint. */
export class StoredProgress implements FollowerProgress {
  constructor(
    private readonly load: FollowerTarget['load'],
    private readonly clock: Clock,
  ) {}

  async reached(position: Position, signal: AbortSignal): Promise<void> {
    while ((await this.position()) < position) await this.clock.sleep(LOOK_MS, signal);
  }

  /** @throws what reading throws */
  async position(): Promise<Position> {
    return (await this.load())?.position ?? 0;
  }
}

export interface FreshnessPorts {
  readonly log: Pick<EventLog, 'head'>;
  readonly clock: Clock;
  readonly progress: FollowerProgress;
  /** Whether the projection can be read at all. */
  readonly isAvailable: () => boolean;
}

/**
 * Read-your-writes for queries of a projection: they wait until it reflects every command that this process
 * answered before.
 */
export class Freshness {
  constructor(private readonly ports: FreshnessPorts) {}

  /** Resolves when the follower has reached the log's current head, or after 2 s. */
  async caughtUp(): Promise<void> {
    const { log, clock, progress, isAvailable } = this.ports;
    // The query itself then says what is wrong.
    if (!isAvailable()) return;
    const deadline = clock.deadline(PATIENCE_MS);
    try {
      await progress.reached(await log.head(), deadline.signal);
    } catch {
      // Late, stopped, or the log does not answer: what is there is still worth reading.
    } finally {
      deadline[Symbol.dispose]();
    }
  }
}
