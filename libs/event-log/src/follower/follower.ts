import { Backoff, type Background, type Clock, type Logger, type Random } from '#platform';
import type { Position, RecordedEvent } from '../envelope.js';
import type { EventLog } from '../event-log.js';
import { BatchIntake } from './batch-intake.js';
import type { FollowerStatus } from './follower-status.js';
import { PositionWaiters } from './position-waiters.js';
import type { RunningFollowers } from './running-followers.js';

/** Event handler of a follower (e.g. a projection), with its checkpoint. */
export interface FollowerTarget {
  /** The checkpoint, and the id of the log that it belongs to. Null: none yet. */
  load(): Promise<{ logId: string; position: Position } | null>;
  /**
   * Handles the events and moves the checkpoint from `from` to `to`, atomically; throws when the checkpoint
   * is not at `from` (a rival). The same batch, or a part of it, may come again after an error
   * (at-least-once).
   */
  apply(batch: FollowerBatch): Promise<void>;
  /** Parks a poison event (dead letter). Absent: it is retried for ever. */
  park?(event: RecordedEvent, error: unknown): Promise<void>;
  /**
   * Whether the error is an infrastructure failure (no connection, a lock, a rival), not the events' fault:
   * no event is parked for it.
   */
  isTransient?(error: unknown): boolean;
}

export interface FollowerBatch {
  readonly logId: string;
  readonly events: readonly RecordedEvent[];
  readonly from: Position;
  readonly to: Position;
}

export interface FollowerOptions {
  readonly name: string;
  /** Stream name prefixes to follow; empty: all streams. */
  readonly prefixes: readonly string[];
  readonly target: FollowerTarget;
  /** The loop ended without `stop`: the process must not go on. */
  onFatal(error: unknown): void;
  /** How long a batch may wait to be filled (ms). */
  readonly batchMs?: number;
  readonly maxBatchEvents?: number;
  /**
   * Minimum interval (ms) between checkpoints that only pass filtered events; 0 where others wait for the
   * checkpoint.
   */
  readonly idleCheckpointMs?: number;
  /** Consecutive failures after which a batch is split to find the poison event. */
  readonly attemptsBeforeBisect?: number;
}

export interface FollowerPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  /** Registry for health and metrics while it runs. */
  readonly followers?: RunningFollowers | undefined;
}

/** The checkpoint belongs to another log or lies beyond its end: to continue would corrupt the target. */
export class CheckpointRefused extends Error {
  override readonly name = 'CheckpointRefused';
}

const BATCH_MS = 20;
/** Some two megabytes. Of a busy log that is one batch of a target in place of four, each with a transaction of its own. */
const BATCH_EVENTS = 2_000;
const ATTEMPTS = 3;
const PAUSES = { firstMs: 100, longestMs: 2_000 };
/** Back-off (ms) while the poison event is searched. */
const SEARCH_PAUSES = { firstMs: 100, longestMs: 100 };
const IDLE_CHECKPOINT_MS = 1_000;

/**
 * A persistent subscription to the log: batches, applies, checkpoints, retries with back-off, resumes. Owns
 * its position in the log.
 * 1. Events are applied in order of position, at least once; the target's checkpoint decides what was
 *    applied.
 * 2. After a failure the outcome is unknown, so the checkpoint is loaded again and the log followed from
 *    there.
 * 3. A batch that keeps failing is split until one event is left, which is parked; the size grows again with
 *    successes.
 * 4. The loop ends by `stop` only; any other end is fatal and reported.
 */
export class Follower {
  readonly name: string;
  private readonly stopping = new AbortController();
  private readonly waiters = new PositionWaiters();
  private state: FollowerStatus['state'] = 'new';
  private handled: Position = 0;
  private intake: BatchIntake | null = null;
  private applyingSince: number | null = null;
  private wanted: Position = 0;
  private failures = 0;
  private readonly backoff: Backoff;
  private readonly searchBackoff: Backoff;
  private parked = 0;
  private size: number;
  private suspect: { event: RecordedEvent; error: unknown; times: number } | null = null;
  private whenEnded: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: FollowerOptions,
    private readonly ports: FollowerPorts,
  ) {
    this.name = options.name;
    this.size = this.maxSize;
    this.backoff = new Backoff(ports.clock, PAUSES, ports.random);
    this.searchBackoff = new Backoff(ports.clock, SEARCH_PAUSES, ports.random);
  }

  /** Everything up to here has been handled. */
  get position(): Position {
    return this.handled;
  }

  start(): void {
    if (this.state !== 'new') throw new Error(`follower ${this.name} was started before`);
    this.state = 'running';
    this.ports.followers?.add(this);
    const ended = Promise.withResolvers<void>();
    this.whenEnded = ended.promise;
    this.ports.background.start(`follower ${this.name}`, async () => {
      await this.runUntilStopped().finally(ended.resolve);
    });
  }

  /** Resolves when the batch in progress is done and no more will be applied. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.intake?.close();
    await this.whenEnded;
    if (this.state !== 'failed') this.state = 'stopped';
    this.ports.followers?.delete(this);
    this.waiters.rejectAll(new Error(`follower ${this.name} was stopped`));
  }

  /** Resolves when everything up to `position` was handled; until then batches are flushed at once. */
  reached(position: Position, signal?: AbortSignal): Promise<void> {
    if (this.handled >= position) return Promise.resolve();
    if (this.state === 'stopped' || this.state === 'failed')
      return Promise.reject(new Error(`follower ${this.name} has ${this.state}`));
    this.wanted = Math.max(this.wanted, position);
    this.intake?.hurryTo(position);
    return this.waiters.wait(position, signal);
  }

  async status(): Promise<FollowerStatus> {
    const { name, state, handled, parked, failures } = this;
    const since = this.applyingSince ?? this.intake?.oldest;
    const lagMs = since === undefined ? 0 : Math.max(0, this.ports.clock.now() - since);
    return { name, state, position: handled, head: await this.ports.log.head(), lagMs, parked, failures };
  }

  private get maxSize(): number {
    return this.options.maxBatchEvents ?? BATCH_EVENTS;
  }

  /** Invariant 4. */
  private async runUntilStopped(): Promise<void> {
    try {
      while (!this.stopping.signal.aborted) await this.followOnce();
    } catch (error) {
      this.state = 'failed';
      this.waiters.rejectAll(new Error(`follower ${this.name} failed`, { cause: error }));
      this.options.onFatal(error);
    }
  }

  private async followOnce(): Promise<void> {
    const { logger } = this.ports;
    try {
      await this.follow();
      if (!this.stopping.signal.aborted)
        throw new FollowerEnded(`follower ${this.name}: the log ended the subscription`);
    } catch (error) {
      if (error instanceof CheckpointRefused || error instanceof FollowerEnded) throw error;
      this.failures += 1;
      logger.warn(
        { err: error, follower: this.name, failures: this.failures },
        'follower failed and resumes',
      );
      const backoff = this.size < this.maxSize ? this.searchBackoff : this.backoff;
      await backoff.wait(this.stopping.signal);
    } finally {
      this.intake?.close();
      this.intake = null;
      this.applyingSince = null;
    }
  }

  /** One subscription, from the checkpoint until it fails or ends. */
  private async follow(): Promise<void> {
    const { log, clock } = this.ports;
    const { signal } = this.stopping;
    const { idleCheckpointMs = IDLE_CHECKPOINT_MS } = this.options;
    let checkpoint = await this.loadCheckpoint();
    checkpoint = await this.parkSuspect(checkpoint);
    this.moveTo(checkpoint);
    const subscription = log.subscribeAll({ after: checkpoint, prefixes: this.options.prefixes, signal });
    const intake = new BatchIntake(subscription, checkpoint, clock, this.options.batchMs ?? BATCH_MS);
    this.intake = intake;
    intake.hurryTo(this.wanted);
    let storedAt = clock.now();
    for (let batch = await intake.take(this.size); batch !== null; batch = await intake.take(this.size)) {
      if (signal.aborted) return;
      if (batch.events.length > 0 || clock.now() - storedAt >= idleCheckpointMs) {
        await this.apply(batch.events, checkpoint, batch.position);
        checkpoint = batch.position;
        storedAt = clock.now();
      }
      this.moveTo(batch.position);
    }
  }

  private async apply(events: readonly RecordedEvent[], from: Position, to: Position): Promise<void> {
    this.applyingSince = events[0]?.time ?? null;
    try {
      await this.options.target.apply({ logId: this.ports.log.logId, events, from, to });
    } catch (error) {
      this.shrink(events, error);
      throw error;
    }
    this.applyingSince = null;
    this.failures = 0;
    this.backoff.reset();
    this.suspect = null;
    this.size = Math.min(this.size * 2, this.maxSize);
  }

  /** Invariant 3. */
  private shrink(events: readonly RecordedEvent[], error: unknown): void {
    const { target, attemptsBeforeBisect = ATTEMPTS } = this.options;
    if (target.park === undefined || target.isTransient?.(error) === true) return;
    if (events.length > 1) {
      const isSearching = this.size < this.maxSize || this.failures + 1 >= attemptsBeforeBisect;
      if (isSearching) this.size = Math.max(1, Math.floor(events.length / 2));
      return;
    }
    const [event] = events;
    if (event === undefined) return;
    const times = this.suspect?.event.id === event.id ? this.suspect.times + 1 : 1;
    this.suspect = { event, error, times };
  }

  /** Parks the event that failed alone too often, and moves the checkpoint past it. */
  private async parkSuspect(checkpoint: Position): Promise<Position> {
    const { suspect } = this;
    const { target, attemptsBeforeBisect = ATTEMPTS } = this.options;
    if (suspect === null || suspect.times < attemptsBeforeBisect || target.park === undefined)
      return checkpoint;
    const { event, error } = suspect;
    if (event.position > checkpoint) {
      await target.park(event, error);
      await target.apply({ logId: this.ports.log.logId, events: [], from: checkpoint, to: event.position });
      this.parked += 1;
      const { id, type, stream, position } = event;
      this.ports.logger.error(
        { err: error, follower: this.name, id, type, stream, position },
        'event was parked',
      );
    }
    this.suspect = null;
    return Math.max(checkpoint, event.position);
  }

  private async loadCheckpoint(): Promise<Position> {
    const { log } = this.ports;
    const [checkpoint, head] = [await this.options.target.load(), await log.head()];
    if (checkpoint === null) return 0;
    if (checkpoint.logId !== log.logId)
      throw new CheckpointRefused(
        `follower ${this.name} followed log ${checkpoint.logId}, this is ${log.logId}`,
      );
    if (checkpoint.position > head)
      throw new CheckpointRefused(
        `follower ${this.name} is at ${checkpoint.position}, the log ends at ${head}`,
      );
    return checkpoint.position;
  }

  private moveTo(position: Position): void {
    this.handled = position;
    this.waiters.reached(position);
  }
}

class FollowerEnded extends Error {
  override readonly name = 'FollowerEnded';
}
