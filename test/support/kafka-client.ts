import kafkajs, { type Admin, type IHeaders, type Kafka, type Message as KafkaRecord } from 'kafkajs';
import { until } from './until.js';

/** A record as somebody who reads a topic carefully (committed transactions only) gets it. */
export interface ReadRecord {
  readonly partition: number;
  readonly offset: bigint;
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** A topic that was just made is not known to every broker at once. */
async function isThere(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if ((error as { type?: unknown }).type === 'UNKNOWN_TOPIC_OR_PARTITION') return false;
    throw error;
  }
}

/** The topics that the service makes. */
export async function deleteOurTopics(admin: Admin): Promise<void> {
  const topics = (await admin.listTopics()).filter((name) => name.startsWith('annals.'));
  if (topics.length > 0) await admin.deleteTopics({ topics });
}

/** Another system on the same brokers: reads topics, sends commands, changes topics. */
export class KafkaClient {
  readonly kafka: Kafka;
  private readonly open: { disconnect(): Promise<void> }[] = [];

  constructor(address: string) {
    this.kafka = new kafkajs.Kafka({
      clientId: 'a-test',
      brokers: [address],
      logLevel: kafkajs.logLevel.NOTHING,
      retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 30 },
    });
  }

  /**
   * Follows a topic from its start; the array grows, unless `hear` takes the records instead. A consumer that joins its
   * group again begins anew, so what stands where it has read already is not taken for another record.
   */
  async follow(topic: string, hear?: (record: ReadRecord) => void): Promise<ReadRecord[]> {
    const records: ReadRecord[] = [];
    const take = hear ?? ((record: ReadRecord) => void records.push(record));
    const readTo = new Map<number, bigint>();
    const groupId = `a-test-${Math.random()}`;
    const consumer = this.kafka.consumer({ groupId, maxWaitTimeInMs: 50, sessionTimeout: 30_000 });
    this.open.push(consumer);
    await consumer.connect();
    await until(() => isThere(consumer.subscribe({ topic, fromBeginning: true })));
    await consumer.run({
      autoCommit: false,
      eachBatch: ({ batch }) => {
        for (const { key, value, headers = {}, offset: written } of batch.messages) {
          const offset = BigInt(written);
          if (offset <= (readTo.get(batch.partition) ?? -1n)) continue;
          readTo.set(batch.partition, offset);
          take({
            partition: batch.partition,
            offset,
            key: key?.toString() ?? null,
            value: value?.toString() ?? null,
            headers: textsOf(headers),
          });
        }
        return Promise.resolve();
      },
    });
    return records;
  }

  async send(topic: string, ...messages: KafkaRecord[]): Promise<void> {
    const producer = this.kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
    await producer.connect();
    await producer.send({ topic, messages });
    await producer.disconnect();
  }

  /** As one batch, packed. */
  async sendPacked(topic: string, ...messages: KafkaRecord[]): Promise<void> {
    const producer = this.kafka.producer({
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
      retry: { retries: 0 },
    });
    await producer.connect();
    try {
      const packed = { topic, messages, compression: kafkajs.CompressionTypes.GZIP };
      await until(() => isThere(producer.send(packed)));
    } finally {
      await producer.disconnect();
    }
  }

  /** Records of a transaction that is committed, or aborted. */
  async transact(topic: string, ending: 'commit' | 'abort', ...messages: KafkaRecord[]): Promise<void> {
    const transactionalId = `a-test-${Math.random()}`;
    const producer = this.kafka.producer({
      transactionalId,
      maxInFlightRequests: 1,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    });
    await producer.connect();
    const transaction = await producer.transaction();
    await transaction.send({ topic, messages });
    await transaction[ending]();
    await producer.disconnect();
  }

  async admin<T>(work: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> {
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }

  /** The topic is made, with these settings. */
  async makeTopic(topic: string, numPartitions: number, config: Record<string, string> = {}): Promise<void> {
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
    await this.admin((admin) =>
      admin.createTopics({ topics: [{ topic, numPartitions, replicationFactor: 1, configEntries }] }),
    );
  }

  /** Where the group's members are, per partition: -1 where nothing is committed. */
  async committed(groupId: string, topic: string): Promise<number[]> {
    const [found] = await this.admin((admin) => admin.fetchOffsets({ groupId, topics: [topic] }));
    return (found?.partitions ?? [])
      .toSorted((a, b) => a.partition - b.partition)
      .map(({ offset }) => Number(offset));
  }

  async close(): Promise<void> {
    await Promise.all(this.open.map((one) => one.disconnect().catch(() => undefined)));
  }
}

function textsOf(headers: IHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)]),
  );
}
