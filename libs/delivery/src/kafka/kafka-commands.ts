import type { Kafka } from 'kafkajs';
import { Backoff } from '#platform';
import { CommandSession } from './command-session.js';
import { type KafkaConnection, openKafka, reasonOf } from './kafka-client.js';
import type { CommandsPorts } from './commands-ports.js';
import type { CommandsStatus } from './kafka-status.js';

const PAUSES = { firstMs: 250, longestMs: 5_000 };

/**
 * Gives every record of `annals.commands` to a handler, those of a partition one after the other, and writes what is
 * refused to `annals.commands.rejected`. Replicas share the partitions as a consumer group. May be started and stopped
 * again and again.
 * 1. A record is settled before its offset is committed, so it comes again after a death: the handler knows it by its key.
 * 2. A bad record is settled by its rejection. Only what is no command's fault (no log, no room, no broker) is waited for.
 * 3. A consumer that ends, fails, or makes no progress is made again.
 * 4. A record that the process has not survived three times is settled by its rejection.
 */
export class KafkaCommands {
  private readonly kafka: Kafka;
  private readonly counts = { accepted: 0, rejected: 0, restarts: 0 };
  private readonly knownEnds = new Set<string>();
  private stopping: AbortController | null = null;
  private whenEnded: Promise<void> = Promise.resolve();
  private session: CommandSession | null = null;
  private detail: string | null = null;

  constructor(
    connection: KafkaConnection,
    private readonly ports: CommandsPorts,
  ) {
    this.kafka = openKafka(connection, ports.logger);
  }

  start(): void {
    if (this.stopping !== null) return;
    const stopping = new AbortController();
    const ended = Promise.withResolvers<void>();
    this.stopping = stopping;
    this.whenEnded = ended.promise;
    this.ports.background.start('commands of Kafka', () =>
      this.consumeUntil(stopping.signal).finally(ended.resolve),
    );
  }

  /** Resolves when the command under way is settled and nothing more is started; some seconds at most. */
  async stop(): Promise<void> {
    this.stopping?.abort();
    await this.whenEnded;
    this.stopping = null;
  }

  status(): CommandsStatus {
    const { counts, detail, session } = this;
    const waiting = session?.waiting ?? 0;
    if (this.stopping === null) return { ...counts, state: 'standby', detail: null, waiting: 0 };
    const failing = detail ?? session?.trouble ?? null;
    if (failing !== null) return { ...counts, state: 'failing', detail: failing, waiting };
    return { ...counts, state: session?.isMember ? 'consuming' : 'connecting', detail: null, waiting };
  }

  /** Invariant 3. */
  private async consumeUntil(stop: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.ports;
    const backoff = new Backoff(clock, PAUSES, random);
    while (!stop.aborted) {
      const session = new CommandSession(this.kafka, this.ports, this.counts, this.knownEnds);
      this.session = session;
      try {
        await session.run(stop, () => (this.detail = null));
      } catch (error) {
        if (session.isMember) backoff.reset();
        this.detail = reasonOf(error);
        this.counts.restarts += 1;
        logger.warn({ err: error }, 'commands of Kafka are not consumed and will be again');
      }
      await backoff.wait(stop);
    }
    this.session = null;
    this.detail = null;
  }
}
