import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { Problem } from '#domain';
import { Backoff } from '#platform';
import { closeQuietly } from './bounded.js';
import { reasonOf } from './kafka-client.js';
import { type CommandOutcome, type KafkaCommand, commandOf } from './kafka-command.js';
import type { CommandsPorts } from './commands-ports.js';
import { type KnownEnds, ConsumerWatchdog } from './consumer-watchdog.js';
import { Rejections } from './rejections.js';
import { COMMANDS, COMMANDS_GROUP, commandTopics, ensureTopics } from './topics.js';
import { withAdmin } from './transactions.js';

/** A member that is silent for so long has its partitions taken over. */
const SESSION_TIMEOUT_MS = 8_000;
const HEARTBEAT_MS = 1_000;
const FETCH_WAIT_MS = 500;
const COMMIT_EVERY_MS = 1_000;
/** Of a command that nobody expected to fail. */
const ATTEMPTS = 3;
const PAUSES = { firstMs: 100, longestMs: 3_000 };

interface Counts {
  accepted: number;
  rejected: number;
}

/** One consumer, from its making to its end. Owns its connections. */
export class CommandSession {
  private readonly rejections: Rejections;
  private readonly consumer: Consumer;
  private readonly watchdog: ConsumerWatchdog;
  /** Why a command is not settled yet, by partition. */
  private readonly troubles = new Map<number, string>();

  constructor(
    private readonly kafka: Kafka,
    private readonly ports: CommandsPorts,
    private readonly counts: Counts,
    knownEnds: KnownEnds,
  ) {
    this.rejections = new Rejections(kafka, ports.clock);
    this.consumer = kafka.consumer({
      groupId: COMMANDS_GROUP,
      sessionTimeout: SESSION_TIMEOUT_MS,
      heartbeatInterval: HEARTBEAT_MS,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      allowAutoTopicCreation: false,
      // Whoever made this session makes another.
      retry: { retries: 4, restartOnFailure: () => Promise.resolve(false) },
    });
    this.watchdog = new ConsumerWatchdog(this.consumer, kafka, ports.clock, knownEnds);
  }

  get isMember(): boolean {
    return this.watchdog.isMember;
  }

  /** Why commands wait; null: none does. */
  get trouble(): string | null {
    return [...this.troubles.values()][0] ?? null;
  }

  get waiting(): number {
    return this.watchdog.waiting;
  }

  /** Until the signal is aborted. @throws TopicRefused, ConsumerStalled; what kafkajs throws */
  async run(stop: AbortSignal, whenMember: () => void): Promise<void> {
    const { consumer } = this;
    const crashed = Promise.withResolvers<never>();
    consumer.on(consumer.events.CRASH, ({ payload }) => crashed.reject(payload.error));
    consumer.on(consumer.events.GROUP_JOIN, whenMember);
    const ended = new AbortController();
    try {
      await Promise.race([
        unlessOver(this.consume(stop)),
        crashed.promise,
        unlessOver(this.watchdog.watch(stop, ended.signal)),
      ]);
    } finally {
      ended.abort();
      crashed.promise.catch(() => undefined);
      await closeQuietly(this.ports.clock, consumer);
      await closeQuietly(this.ports.clock, { disconnect: () => this.rejections.close() });
    }
  }

  private async consume(stop: AbortSignal): Promise<void> {
    const { clock, maxCommandBytes } = this.ports;
    const wishes = commandTopics(maxCommandBytes);
    const partitions = wishes[0]?.partitions ?? 1;
    await withAdmin(this.kafka, clock, stop, (admin) => ensureTopics(admin, wishes));
    await this.consumer.connect();
    await this.consumer.subscribe({ topic: COMMANDS, fromBeginning: true });
    await this.consumer.run({
      autoCommit: true,
      autoCommitInterval: COMMIT_EVERY_MS,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: partitions,
      eachBatch: (payload) => this.settleBatch(payload, stop),
    });
    await aborted(stop);
  }

  private async settleBatch(payload: EachBatchPayload, stop: AbortSignal): Promise<void> {
    const { batch } = payload;
    const goesOn = (): boolean => payload.isRunning() && !payload.isStale() && !stop.aborted;
    const heartbeat = (): Promise<void> => payload.heartbeat();
    for (const message of batch.messages) {
      if (!goesOn()) return;
      const isSettled = await this.settle(batch.topic, batch.partition, message, heartbeat, goesOn);
      if (!isSettled) return;
      payload.resolveOffset(message.offset);
      await heartbeat();
      await payload.commitOffsetsIfNecessary();
    }
  }

  /** False: this consumer is to end first; the command comes again. @throws what a heartbeat throws */
  private async settle(
    topic: string,
    partition: number,
    message: KafkaMessage,
    heartbeat: () => Promise<void>,
    goesOn: () => boolean,
  ): Promise<boolean> {
    const { clock, logger } = this.ports;
    const backoff = new Backoff(clock, PAUSES);
    for (let failures = 0; goesOn();) {
      const step = await this.step(topic, partition, message, failures);
      this.watchdog.busy();
      if (step.kind === 'settled') {
        this.troubles.delete(partition);
        return true;
      }
      if (step.kind === 'failed') failures += 1;
      this.troubles.set(partition, step.detail);
      logger.warn({ topic, partition, offset: message.offset, detail: step.detail }, 'a command waits');
      await backoff.wait();
      await heartbeat();
    }
    return false;
  }

  private async step(topic: string, partition: number, message: KafkaMessage, failures: number) {
    const command = commandOf(topic, partition, message);
    const { handler, counted } = this.ports;
    let outcome: CommandOutcome;
    try {
      const tried = await counted.run(keyOf(command), () => handler.handle(command));
      outcome = tried.kind === 'done' ? tried.value : handler.giveUp(command, deadly(tried.deaths));
    } catch (error) {
      if (failures + 1 < ATTEMPTS) return { kind: 'failed' as const, detail: reasonOf(error) };
      outcome = handler.giveUp(command, error);
    }
    if (outcome.kind === 'later') return { kind: 'later' as const, detail: outcome.detail };
    if (outcome.kind === 'accepted') {
      this.counts.accepted += 1;
      return { kind: 'settled' as const };
    }
    try {
      const { problem, value } = outcome;
      await this.rejections.write({ message, place: command.place, problem, value });
    } catch (error) {
      return { kind: 'later' as const, detail: reasonOf(error) };
    }
    await counted.forget(keyOf(command));
    this.counts.rejected += 1;
    return { kind: 'settled' as const };
  }
}

/** The time, too: a topic that was made anew has the same places. */
const keyOf = ({ place, timestamp }: KafkaCommand): string => `command/${place}/${timestamp}`;

const deadly = (deaths: number): Problem =>
  new Problem(
    'unprocessable',
    `${deaths} processes ended while they handled this command: it is not tried again`,
  );

/** Whichever comes first decides; what the others still say is heard by nobody. */
function unlessOver(work: Promise<void>): Promise<void> {
  work.catch(() => undefined);
  return work;
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
