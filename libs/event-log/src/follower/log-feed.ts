import type { Background, Clock, Logger, Random } from '#platform';
import type { Position, RecordedEvent } from '../envelope.js';
import type { EventLog } from '../event-log.js';
import { Follower, type FollowerBatch } from './follower.js';
import type { RunningFollowers } from './running-followers.js';

export interface LogFeedPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  readonly followers?: RunningFollowers | undefined;
}

/**
 * Projects streams into a table in memory, from the start of the log; no database is trusted. Owns its position.
 * 1. An event that is unknown or unreadable is logged and skipped, so that later ones are applied.
 * 2. Where it cannot continue at all, it reports that.
 */
export class LogFeed {
  private position: Position = 0;
  private failure: unknown = null;
  private readonly follower: Follower;

  /**
   * @param name what is followed, as lines to an operator name it
   * @param applied takes an event into the table; false: it says nothing that is known
   */
  constructor(
    private readonly name: string,
    prefix: string,
    private readonly applied: (event: RecordedEvent) => boolean,
    private readonly ports: LogFeedPorts,
  ) {
    this.follower = new Follower(
      {
        name: name.replaceAll(' ', '-').toLowerCase(),
        prefixes: [prefix],
        target: {
          load: async () => ({ logId: ports.log.logId, position: this.position }),
          apply: async (batch) => this.apply(batch),
        },
        batchMs: 0,
        onFatal: (error) => this.fail(error),
      },
      ports,
    );
  }

  /** What keeps it from hearing of changes, for an operator; null: nothing. */
  get problem(): string | null {
    return this.failure === null ? null : `the ${this.name} are not followed any more: restart the service`;
  }

  /** Resolves when the table holds all that is on the log now. What others write is then followed until the signal is aborted. */
  async start(signal: AbortSignal): Promise<void> {
    const { log, background } = this.ports;
    const head = await log.head();
    this.follower.start();
    const stop = (): void => background.start(`stop the feed of ${this.name}`, () => this.follower.stop());
    signal.addEventListener('abort', stop, { once: true });
    await this.follower.reached(head, signal);
    // Nobody else can write there, and what this process writes it knows.
    if (!log.exclusive) return;
    signal.removeEventListener('abort', stop);
    await this.follower.stop();
  }

  private apply({ events, to }: FollowerBatch): void {
    for (const event of events) this.applyOne(event);
    this.position = to;
  }

  /** Invariant 1. */
  private applyOne(event: RecordedEvent): void {
    let cause: object = {};
    try {
      if (this.applied(event)) return;
    } catch (error) {
      cause = { err: error };
    }
    const { id, type, stream } = event;
    this.ports.logger.error({ ...cause, id, type, stream }, `an event of the ${this.name} says nothing here`);
  }

  /** Invariant 2. */
  private fail(error: unknown): void {
    this.failure = error;
    this.ports.logger.error({ err: error }, `the ${this.name} are not followed any more`);
  }
}
