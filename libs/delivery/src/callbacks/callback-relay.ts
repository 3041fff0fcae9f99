import {
  type RecordedSessionEvent,
  asDeliveryEvent,
  asSessionEvent,
  runOfDeliveryStream,
  sessionOfRun,
  sessionStream,
  type Revision,
  type RunId,
  type StreamName,
} from '#domain';
import { type ContentStore } from '#vault';
import {
  type EventLog,
  Follower,
  type FollowerBatch,
  type FollowerStatus,
  type FollowerTarget,
  LogUnavailable,
  type Position,
  type RecordedEvent,
  type RunningFollowers,
  eventAt,
} from '#event-log';
import type { Background, Clock, Logger, Random, SecretBox } from '#platform';
import type { RunReceipts } from '../run-receipts.js';
import { CallbackAttempts, type CallbackRun } from './callback-attempt.js';
import type { CallbackSender } from './callback-sender.js';
import { DeliveryLog } from './delivery-log.js';
import { HostBulkhead } from './host-bulkhead.js';
import { RelayCheckpoints } from './relay-checkpoint.js';
import { RunQueue } from './run-queue.js';

export interface RelayPorts {
  /** Absent: receivers are given none. */
  readonly receipts?: RunReceipts;
  readonly log: EventLog;
  readonly contents: ContentStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  readonly box: SecretBox;
  readonly sender: CallbackSender;
  /** Where its follower is found while it works. */
  readonly followers?: RunningFollowers;
  /** `whsec_…`; null: the key is unknown, or not any more. */
  readonly secretOf: (run: CallbackRun) => string | null;
  /** Nothing is followed any more although nobody stopped it. */
  readonly onFatal: (error: unknown) => void;
}

interface OpenQueue {
  readonly queue: RunQueue;
  /** Where the relay heard of it. */
  readonly position: Position;
  /** Its stream has been read. */
  readonly opened: Promise<void>;
}

/** Events that pass between two checkpoints. Not positions: on some logs those count bytes. */
const CHECKPOINT_EVERY = 5_000;
const BATCH_MS = 5;

/**
 * Delivers events of runs to their callbacks (webhooks). A follower of the sessions' streams finds the runs; each has
 * a delivery queue of its own, its queue. Owns the open queues.
 * 1. A run has one queue at most.
 * 2. The checkpoint names every queue that was open when it was made; any other run is settled or comes after it.
 */
export class CallbackRelay implements FollowerTarget {
  private readonly queues = new Map<string, OpenQueue>();
  private readonly follower: Follower;
  private readonly attempts: CallbackAttempts;
  private readonly bulkhead = new HostBulkhead();
  private readonly checkpoints: RelayCheckpoints;
  private readonly stopping = new AbortController();
  private position: Position | null = null;
  /** Events since the checkpoint. */
  private unsaved = 0;
  private working = new Set<Promise<void>>();

  constructor(private readonly ports: RelayPorts) {
    this.attempts = new CallbackAttempts(ports);
    this.checkpoints = new RelayCheckpoints(ports);
    const prefixes = ['session-', 'delivery-'];
    const { onFatal } = ports;
    this.follower = new Follower(
      { name: 'callbacks', prefixes, target: this, onFatal, batchMs: BATCH_MS },
      ports,
    );
  }

  /** Number of runs with unsettled deliveries. */
  get open(): number {
    return this.queues.size;
  }

  start(): void {
    this.follower.start();
  }

  status(): Promise<FollowerStatus> {
    return this.follower.status();
  }

  /** Lets attempts in progress end, within `graceMs`, and writes their outcomes where the log takes them. */
  async stop(graceMs: number): Promise<void> {
    await this.follower.stop();
    const cancel = this.ports.clock.timer(graceMs, () => this.cut());
    for (const { queue } of this.queues.values()) queue.end();
    await Promise.all(this.working);
    cancel();
    this.cut();
    if (this.position !== null) await this.saveIfPossible(this.position);
  }

  async load(): Promise<{ logId: string; position: Position } | null> {
    const { logId } = this.ports.log;
    if (this.position !== null) return { logId, position: this.position };
    const checkpoint = await this.checkpoints.load();
    if (checkpoint === null) return null;
    await Promise.all(checkpoint.open.map((open) => this.reopen(open.run, open.requested, open.position)));
    return { logId, position: checkpoint.position };
  }

  async apply({ events, to }: FollowerBatch): Promise<void> {
    await Promise.all(events.flatMap((event) => this.hear(event) ?? []));
    this.position = to;
    this.unsaved += events.length;
    if (this.unsaved >= CHECKPOINT_EVERY) await this.save(to);
  }

  private cut(): void {
    this.stopping.abort();
    for (const { queue } of this.queues.values()) queue.cut();
  }

  /** A checkpoint only spares reading: a log that is in trouble must not keep the service from stopping. */
  private async saveIfPossible(position: Position): Promise<void> {
    try {
      await this.save(position);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      this.ports.logger.warn({ err: error }, 'the relay stopped without a checkpoint');
    }
  }

  private async save(position: Position): Promise<void> {
    const open = [...this.queues.values()].map(({ queue, position }) => {
      const { run, requested } = queue.run;
      return { run, requested, position };
    });
    await this.checkpoints.save(position, open);
    this.unsaved = 0;
  }

  /** null: it says nothing to the relay, as most events, which are pieces of text. */
  private hear(event: RecordedEvent): Promise<void> | null {
    switch (event.type) {
      case 'run_requested':
        return this.heardRequest(event);
      case 'session_erased':
        return this.stopSession(event.stream);
      case 'delivery_resend_requested':
        return this.heardResend(event);
      default:
        return null;
    }
  }

  private async heardRequest(event: RecordedEvent): Promise<void> {
    const run = callbackRunOf(event);
    if (run !== null) await this.openLane(run, event.position);
  }

  private async heardResend(event: RecordedEvent): Promise<void> {
    const asked = asDeliveryEvent(event);
    const run = runOfDeliveryStream(event.stream);
    if (asked?.type !== 'delivery_resend_requested' || run === null) return;
    await this.queues.get(run)?.opened;
    if (this.queues.get(run)?.queue.wake()) return;
    this.queues.delete(run);
    await this.reopen(run, asked.data.requested, event.position);
  }

  /** What was not delivered of an erased session never will be. */
  private async stopSession(stream: StreamName): Promise<void> {
    for (const [run, { queue }] of this.queues) {
      if (sessionStream(queue.run.session) !== stream) continue;
      queue.cut();
      this.queues.delete(run);
    }
  }

  private async reopen(run: RunId, requested: Revision, position: Position): Promise<void> {
    const session = sessionOfRun(run);
    if (session === null) return;
    const request = await eventAt(this.ports.log, sessionStream(session), requested);
    // What was heard of is on the log: nobody else would come back to the run.
    if (request === undefined) throw new LogUnavailable(`a read of ${session} lags behind`);
    const found = callbackRunOf(request);
    if (found !== null) await this.openLane(found, position);
  }

  /** Resolves when the queue works. A batch that failed may come again while the queues of the first time are opened. */
  private openLane(run: CallbackRun, position: Position): Promise<void> {
    const known = this.queues.get(run.run);
    if (known !== undefined) return known.opened;
    const deliveries = new DeliveryLog({ ...this.ports, stop: this.stopping.signal }, run);
    const ports = { ...this.ports, attempts: this.attempts, bulkhead: this.bulkhead };
    const queue = new RunQueue(run, deliveries, ports);
    const opened = this.begin(queue);
    this.queues.set(run.run, { queue, position, opened });
    return opened;
  }

  private async begin(queue: RunQueue): Promise<void> {
    const { deliveries, run } = queue;
    try {
      await deliveries.load();
    } catch (error) {
      this.queues.delete(run.run);
      throw error;
    }
    if (deliveries.isSettled) this.queues.delete(run.run);
    else this.work(queue);
  }

  private work(queue: RunQueue): void {
    const ended = Promise.withResolvers<void>();
    this.working.add(ended.promise);
    this.ports.background.start('callbacks of a run', async () => {
      try {
        await queue.work();
      } finally {
        // Invariant 2: one that ends because the relay stops is still open.
        const { isSettled } = queue.deliveries;
        if (isSettled && this.queues.get(queue.run.run)?.queue === queue) this.queues.delete(queue.run.run);
        this.working.delete(ended.promise);
        ended.resolve();
      }
    });
  }
}

/** null: the run has no callback. */
function callbackRunOf(recorded: RecordedEvent): CallbackRun | null {
  // Of one that cannot be read nobody can tell where its events were to go.
  if (recorded.type !== 'run_requested' || recorded.isErased || recorded.isUnreadable) return null;
  const { data, meta, revision } = asSessionEvent(recorded) as Requested;
  const { callback } = data;
  if (callback === undefined || meta.run === undefined) return null;
  const { project, actor, run } = meta;
  const cause = recorded.meta.traceparent;
  const session = recorded.stream.slice('session-'.length);
  return { run, session, project, actor, callback, requested: revision, trigger: data.trigger, cause };
}

type Requested = Extract<RecordedSessionEvent, { type: 'run_requested' }>;
