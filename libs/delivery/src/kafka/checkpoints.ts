import type { Kafka, Message } from 'kafkajs';
import type { Position } from '#event-log';
import type { Clock, Random } from '#platform';
import { bounded, closeQuietly } from './bounded.js';
import { CHECKPOINTS } from './topics.js';

/** How far a log is published, as the checkpoint topic holds it. */
export interface PublishedUpTo {
  readonly logId: string;
  readonly position: Position;
}

/** Of each log the newest counts: the topic is compacted. */
export const checkpointRecord = ({ logId, position }: PublishedUpTo): Message => ({
  key: logId,
  value: JSON.stringify({ log_id: logId, position }),
});

/** The first record of a new producer: what earlier producers published stands before it. */
export const markRecord = (logId: string, mark: string): Message => ({ key: `${logId}/mark`, value: mark });

/** So many records before the mark hold a checkpoint, almost always; otherwise all are read. */
const TAIL = 200;
const READ_MS = 30_000;

/**
 * Reads the newest checkpoint of a log before its mark. A consumer of the client needs a group; this one has a group of
 * its own, which leaves no offsets behind, so the brokers drop it.
 */
export class CheckpointReader {
  constructor(
    private readonly kafka: Kafka,
    private readonly ports: { readonly clock: Clock; readonly random: Random },
  ) {}

  /** @throws WaitAbandoned; what kafkajs throws */
  async read(logId: string, markOffset: bigint, signal: AbortSignal): Promise<PublishedUpTo | null> {
    const from = markOffset - BigInt(TAIL);
    if (from > 0n) {
      const found = await this.readFrom(from, logId, markOffset, signal);
      if (found !== null) return found;
    }
    return this.readFrom(0n, logId, markOffset, signal);
  }

  private async readFrom(
    from: bigint,
    logId: string,
    markOffset: bigint,
    signal: AbortSignal,
  ): Promise<PublishedUpTo | null> {
    const { clock, random } = this.ports;
    const consumer = this.kafka.consumer({
      groupId: `annals.relay-${random.hex(8)}`,
      sessionTimeout: 10_000,
      heartbeatInterval: 1_000,
      maxWaitTimeInMs: 100,
      // The loop above tries again.
      retry: { retries: 2, restartOnFailure: () => Promise.resolve(false) },
    });
    const done = Promise.withResolvers<void>();
    let newest: PublishedUpTo | null = null;
    consumer.on(consumer.events.CRASH, ({ payload }) => done.reject(payload.error));
    const read = async (): Promise<void> => {
      await consumer.connect();
      await consumer.subscribe({ topic: CHECKPOINTS, fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachBatch: ({ batch }) => {
          for (const { key, value, offset } of batch.messages) {
            if (BigInt(offset) < from) continue;
            if (key?.toString() === logId && value !== null) newest = parse(value) ?? newest;
            if (BigInt(offset) >= markOffset) done.resolve();
          }
          return Promise.resolve();
        },
      });
      if (from > 0n) consumer.seek({ topic: CHECKPOINTS, partition: 0, offset: String(from) });
      await done.promise;
    };
    try {
      await bounded(clock, READ_MS, 'reading the checkpoint', read(), signal);
      return newest;
    } finally {
      await closeQuietly(clock, consumer);
    }
  }
}

/** null: not one of ours. */
function parse(value: Buffer): PublishedUpTo | null {
  try {
    const { log_id: logId, position } = JSON.parse(value.toString('utf8')) as Record<string, unknown>;
    return typeof logId === 'string' && typeof position === 'number' ? { logId, position } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
