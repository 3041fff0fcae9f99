import type { Kafka } from 'kafkajs';
import { isPublicType, isReplayRun, isUnstoredRun } from '#domain';
import { type ContentStore } from '#vault';
import type { RunReceipts } from '../run-receipts.js';
import {
  type EventLog,
  Follower,
  type FollowerBatch,
  type FollowerTarget,
  type Position,
  type RecordedEvent,
} from '#event-log';
import { type Background, type Clock, type Logger, type Random, closeInOrder } from '#platform';
import { WaitAbandoned } from './bounded.js';
import { type CloudEventRecord, CloudEvents, sizeOf } from './cloud-event.js';
import { type KafkaConnection, openKafka, protocolErrorOf, reasonOf } from './kafka-client.js';
import type { PublisherStatus } from './kafka-status.js';
import { Transactions } from './transactions.js';

export interface PublisherPorts {
  readonly log: EventLog;
  readonly contents: ContentStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  /** Where the service is reached: what the sources of events begin with. */
  readonly publicUrl: string;
  /** Absent: records have none. */
  readonly receipts?: RunReceipts;
}

/** A transaction costs as much as dozens of events, here and at the brokers: it gathers for so long, unless it is full before. */
const BATCH_MS = 200;
/** Events that pass, none of them public, before the checkpoint is moved over them. */
const IDLE_EVENTS = 5_000;
/** Pause after this producer was fenced by another: by then the other has fenced every earlier one, too. */
const FENCED_PAUSE_MS = 5_000;
const FENCED = new Set(['PRODUCER_FENCED', 'INVALID_PRODUCER_EPOCH', 'TRANSACTIONAL_ID_NOT_AVAILABLE']);

/**
 * Publishes every public event to `annals.events`: a follower of the sessions whose checkpoint is in Kafka itself, so
 * that an event and the checkpoint behind it are there together or not at all. May be started and stopped again and
 * again; one of a log at a time does the work, a second takes it over from the first.
 * 1. Events go out in the order of the log; the next ones when those before are committed.
 * 2. After any failure the producer is given up, and what was committed is read from Kafka.
 */
export class KafkaPublisher {
  private following: Following | null = null;
  private readonly kafka: Kafka;
  private readonly counts = { published: 0, transactions: 0, failures: 0 };

  constructor(
    connection: KafkaConnection,
    private readonly ports: PublisherPorts,
  ) {
    this.kafka = openKafka(connection, ports.logger);
  }

  start(): void {
    if (this.following !== null) return;
    this.following = new Following(this.kafka, this.ports, this.counts);
    this.following.start();
  }

  /** Lets the transaction under way end, within `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    const { following } = this;
    this.following = null;
    await following?.stop(graceMs);
  }

  async status(): Promise<PublisherStatus> {
    const idle = { state: 'standby' as const, detail: null, lagMs: 0 };
    return { ...this.counts, ...((await this.following?.status()) ?? idle) };
  }
}

/** The publisher between a start and a stop. */
class Following implements FollowerTarget {
  private readonly follower: Follower;
  private readonly events: CloudEvents;
  private readonly cutting = new AbortController();
  private open: Transactions | null = null;
  /** What is committed, or passed without a public event. */
  private committed: Position = 0;
  /** Events that were passed since then. */
  private passed = 0;
  private detail: string | null = null;
  /** When what is not published was written, or when it was seen that nothing can be. */
  private failingSince: number | null = null;

  constructor(
    private readonly kafka: Kafka,
    private readonly ports: PublisherPorts,
    private readonly counts: { published: number; transactions: number; failures: number },
  ) {
    this.events = new CloudEvents(ports.contents, ports.publicUrl, ports.receipts);
    const onFatal = (error: unknown): void => {
      this.fail(error, ports.clock.now());
      ports.logger.error({ err: error }, 'nothing is published to Kafka any more');
    };
    this.follower = new Follower(
      {
        name: 'kafka',
        prefixes: ['session-'],
        target: this,
        onFatal,
        batchMs: BATCH_MS,
      },
      ports,
    );
  }

  start(): void {
    this.follower.start();
  }

  async stop(graceMs: number): Promise<void> {
    const cancel = this.ports.clock.timer(graceMs, () => this.cutting.abort());
    // While it has no connection there is nothing that could end.
    if (this.open === null) this.cutting.abort();
    await closeInOrder(
      () => this.follower.stop(),
      () => cancel(),
      () => this.cutting.abort(),
      () => this.open?.close(),
    ).finally(() => (this.open = null));
  }

  async status(): Promise<Pick<PublisherStatus, 'state' | 'detail' | 'lagMs'>> {
    const { position, head, lagMs } = await this.follower.status();
    const { detail, failingSince } = this;
    if (detail === null) {
      return { state: this.open === null ? 'connecting' : 'publishing', detail: null, lagMs };
    }
    // What came to the log since then waits at most as long as the failure lasts.
    const isBehind = this.open === null || position < head;
    const sinceMs = failingSince === null ? 0 : Math.max(0, this.ports.clock.now() - failingSince);
    return { state: 'failing', detail, lagMs: isBehind ? Math.max(lagMs, sinceMs) : lagMs };
  }

  /** Invariant 2. */
  async load(): Promise<{ logId: string; position: Position } | null> {
    const { log, clock } = this.ports;
    await this.open?.close();
    this.open = null;
    try {
      this.open = await Transactions.open(this.kafka, this.ports, log.logId, this.cutting.signal);
    } catch (error) {
      this.fail(error, clock.now());
      throw error;
    }
    this.ports.logger.info({ position: this.open.published?.position ?? 0 }, 'publishing to Kafka');
    this.committed = this.open.published?.position ?? 0;
    this.recover();
    return this.open.published;
  }

  async apply({ events, to }: FollowerBatch): Promise<void> {
    const { open } = this;
    if (open === null) throw new Error('there is no connection to publish with');
    try {
      this.passed += events.length;
      const isIdle = !events.some(isPublished);
      if (isIdle && this.passed < IDLE_EVENTS) return;
      await this.publish(open, events, to);
      this.recover();
    } catch (error) {
      this.fail(error, events[0]?.time ?? this.ports.clock.now());
      await this.giveWay(error);
      throw error;
    }
  }

  /** In one transaction, or in several where it is much. Invariant 1. */
  private async publish(open: Transactions, events: readonly RecordedEvent[], to: Position): Promise<void> {
    let records: CloudEventRecord[] = [];
    let bytes = 0;
    let last: Position = this.committed;
    const commit = async (position: Position): Promise<void> => {
      await open.publish(records, position, this.cutting.signal);
      this.committed = position;
      this.passed = 0;
      this.counts.published += records.length;
      this.counts.transactions += 1;
      records = [];
      bytes = 0;
    };
    for (const event of events) {
      if (!isPublished(event)) continue;
      const record = await this.events.recordOf(event, open.maxRecordBytes);
      const size = sizeOf(record);
      if (records.length > 0 && bytes + size > open.maxSendBytes) await commit(last);
      records.push(record);
      bytes += size;
      last = event.position;
    }
    await commit(to);
  }

  private fail(error: unknown, since: number): void {
    if (this.cutting.signal.aborted) return;
    this.counts.failures += 1;
    this.detail = reasonOf(error);
    this.failingSince ??= since;
  }

  private recover(): void {
    this.detail = null;
    this.failingSince = null;
  }

  private async giveWay(failure: unknown): Promise<void> {
    if (failure instanceof WaitAbandoned || !FENCED.has(protocolErrorOf(failure) ?? '')) return;
    await this.ports.clock.sleep(FENCED_PAUSE_MS, this.cutting.signal).catch(() => undefined);
  }
}

/** What was erased meanwhile is told to nobody, nor is what a replay does. */
const isPublished = ({ type, isErased, meta }: RecordedEvent): boolean =>
  isPublicType(type) && isErased !== true && !isReplayRun(meta.run ?? '') && !isUnstoredRun(meta.run ?? '');
