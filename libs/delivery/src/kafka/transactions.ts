import type { Admin, Kafka, Producer } from 'kafkajs';
import type { Position } from '#event-log';
import type { Clock, Random } from '#platform';
import { bounded, closeQuietly } from './bounded.js';
import { type PublishedUpTo, CheckpointReader, checkpointRecord, markRecord } from './checkpoints.js';
import type { CloudEventRecord } from './cloud-event.js';
import { partitionOfKey } from './partition-of-key.js';
import { CHECKPOINTS, EVENTS, checkpointsTopic, ensureTopics, eventsTopic } from './topics.js';

/** An open transaction of a process that died ends by itself after this: until then it holds up careful readers. */
const TRANSACTION_TIMEOUT_MS = 20_000;
/** Of everything that is waited for. */
const PATIENCE_MS = 30_000;
/** Less than what a topic takes, for the framing that a batch adds. */
const MARGIN_BYTES = 4 * 1024;
/** More would only wait longer for its answer, and be held in memory meanwhile. */
const MAX_SEND_BYTES = 1024 * 1024;

export interface TransactionPorts {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Transactional Kafka producer of one log's events. Owns a producer with the log's transactional id.
 * 1. Opening it aborts the open transaction of an earlier producer with this id and fences it.
 * 2. Events and the checkpoint behind them are committed in one transaction.
 * 3. It is not reused after a failure: only opening another tells whether the transaction was committed.
 */
export class Transactions {
  private constructor(
    private readonly producer: Producer,
    private readonly ports: TransactionPorts,
    private readonly logId: string,
    /** The checkpoint that was found; null: nothing of this log was published. */
    readonly published: PublishedUpTo | null,
    /** Of one record, and of all those of a transaction but the last, as sizeOf counts. */
    readonly maxRecordBytes: number,
    readonly maxSendBytes: number,
  ) {}

  /** Makes or checks the topics, too. @throws TopicRefused, WaitAbandoned; what kafkajs throws */
  static async open(
    kafka: Kafka,
    ports: TransactionPorts,
    logId: string,
    signal: AbortSignal,
  ): Promise<Transactions> {
    const { clock, random } = ports;
    const maxMessageBytes = await withAdmin(kafka, clock, signal, async (admin) => {
      const facts = await ensureTopics(admin, [eventsTopic, checkpointsTopic]);
      return facts.get(EVENTS)?.maxMessageBytes ?? eventsTopic.leastMessageBytes;
    });
    const producer = kafka.producer({
      transactionalId: `annals.events-${logId}`,
      transactionTimeout: TRANSACTION_TIMEOUT_MS,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: partitionOfKey,
      // A coordinator that is still ending the last transaction says so, and is asked again.
      retry: { initialRetryTime: 20, maxRetryTime: 500, retries: 8 },
    });
    try {
      await bounded(clock, PATIENCE_MS, 'connecting', producer.connect(), signal);
      const markOffset = await bounded(clock, PATIENCE_MS, 'writing', mark(producer, logId, random), signal);
      const published = await new CheckpointReader(kafka, ports).read(logId, markOffset, signal);
      const maxBytes = maxMessageBytes - MARGIN_BYTES;
      return new Transactions(
        producer,
        ports,
        logId,
        published,
        maxBytes,
        Math.min(MAX_SEND_BYTES, maxBytes),
      );
    } catch (error) {
      await closeQuietly(clock, producer);
      throw error;
    }
  }

  /** One transaction: the records, in their order, and the checkpoint. @throws WaitAbandoned; what kafkajs throws */
  async publish(
    records: readonly CloudEventRecord[],
    position: Position,
    signal: AbortSignal,
  ): Promise<void> {
    await bounded(this.ports.clock, PATIENCE_MS, 'publishing', this.transact(records, position), signal);
  }

  async close(): Promise<void> {
    await closeQuietly(this.ports.clock, this.producer);
  }

  /** In one request: of several at a time the client loses count (tulios/kafkajs#598). */
  private async transact(records: readonly CloudEventRecord[], position: Position): Promise<void> {
    const transaction = await this.producer.transaction();
    const checkpoint = checkpointRecord({ logId: this.logId, position });
    const topicMessages = [
      ...(records.length === 0 ? [] : [{ topic: EVENTS, messages: [...records] }]),
      { topic: CHECKPOINTS, messages: [checkpoint] },
    ];
    await transaction.sendBatch({ acks: ALL_REPLICAS, topicMessages });
    await transaction.commit();
  }
}

const ALL_REPLICAS = -1;

/** A transaction of its own; where it stands in the topic. */
async function mark(producer: Producer, logId: string, random: Random): Promise<bigint> {
  const transaction = await producer.transaction();
  const messages = [markRecord(logId, random.hex(8))];
  const [written] = await transaction.send({ topic: CHECKPOINTS, messages, acks: ALL_REPLICAS });
  await transaction.commit();
  if (written?.baseOffset === undefined) throw new Error('the broker did not say where a record stands');
  return BigInt(written.baseOffset);
}

export async function withAdmin<T>(
  kafka: Kafka,
  clock: Clock,
  signal: AbortSignal | undefined,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = kafka.admin();
  try {
    const asked = admin.connect().then(() => work(admin));
    return await bounded(clock, PATIENCE_MS, 'asking the brokers', asked, signal);
  } finally {
    await closeQuietly(clock, admin);
  }
}
