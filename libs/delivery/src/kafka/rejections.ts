import type { IHeaders, Kafka, KafkaMessage, Producer } from 'kafkajs';
import kafkajs from 'kafkajs';
import type { Clock } from '#platform';
import { bounded, closeQuietly } from './bounded.js';
import { REJECTED } from './topics.js';

export interface Rejection {
  readonly message: KafkaMessage;
  /** `annals.commands/<partition>/<offset>` */
  readonly place: string;
  /** JSON text. */
  readonly problem: string;
  readonly value: Buffer | null;
}

const PATIENCE_MS = 15_000;

/**
 * Writes bad commands to `annals.commands.rejected`: key, headers and value as they came, the problem in a header.
 * Owns its producer: one record in flight, and after a failure another producer, for this one has lost count.
 */
export class Rejections {
  private producer: Producer | null = null;
  private tail: Promise<void> = Promise.resolve();

  constructor(
    private readonly kafka: Kafka,
    private readonly clock: Clock,
  ) {}

  /** The record is stored when this resolves. @throws WaitAbandoned; what kafkajs throws: it may be stored or not */
  write(rejection: Rejection): Promise<void> {
    const written = this.tail.then(() => this.writeNext(rejection));
    this.tail = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    await this.tail;
    await this.giveUp();
  }

  private async writeNext({ message, place, problem, value }: Rejection): Promise<void> {
    const headers: IHeaders = {
      ...message.headers,
      'annals-command': place,
      'annals-problem': problem,
    };
    try {
      this.producer ??= await this.open();
      const sent = this.producer.send({
        topic: REJECTED,
        acks: -1,
        messages: [{ key: message.key, value, headers }],
      });
      await bounded(this.clock, PATIENCE_MS, 'writing a rejection', sent);
    } catch (error) {
      await this.giveUp();
      throw error;
    }
  }

  private async open(): Promise<Producer> {
    const producer = this.kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
      retry: { retries: 3 },
    });
    await bounded(this.clock, PATIENCE_MS, 'connecting', producer.connect());
    return producer;
  }

  private async giveUp(): Promise<void> {
    const { producer } = this;
    this.producer = null;
    await closeQuietly(this.clock, producer);
  }
}
