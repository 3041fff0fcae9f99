import type { Admin, Consumer, Kafka } from 'kafkajs';
import type { Clock } from '#platform';
import { bounded, closeQuietly } from './bounded.js';
import { COMMANDS, COMMANDS_GROUP } from './topics.js';

/** The consumer neither fetches nor fails, or fetches and stays where it is. */
export class ConsumerStalled extends Error {
  override readonly name = 'ConsumerStalled';
}

const LOOK_MS = 10_000;
const ASKING_MS = 8_000;
/** A consumer that lives fetches twice a second. */
const SILENT_MS = 45_000;
/** Looks at which a partition has records beyond its place and nothing has moved. */
const STILL_LOOKS = 4;

/** Places at which consumers gave up before: a new one that stays there, too, has nothing to read there. */
export type KnownEnds = Set<string>;

interface Look {
  readonly at: string;
  readonly times: number;
}

/**
 * Sees when a consumer of the client stops without a word (tulios/kafkajs#659, #403, #267), and counts what waits. Owns
 * what is known of the consumer's partitions.
 */
export class ConsumerWatchdog {
  /** Whether it has joined its group. */
  isMember = false;
  /** Records in its partitions that it has not got to, as of the last look. */
  waiting = 0;
  private lastSign: number;
  private assigned: readonly number[] = [];
  /** Next offset, by partition. */
  private readonly places = new Map<number, bigint>();
  private readonly looks = new Map<number, Look>();
  private admin: Admin | null = null;

  constructor(
    consumer: Consumer,
    private readonly kafka: Kafka,
    private readonly clock: Clock,
    private readonly knownEnds: KnownEnds,
  ) {
    this.lastSign = clock.now();
    const { FETCH, HEARTBEAT, GROUP_JOIN, END_BATCH_PROCESS } = consumer.events;
    consumer.on(FETCH, () => this.touch());
    consumer.on(HEARTBEAT, () => this.touch());
    consumer.on(GROUP_JOIN, ({ payload }) => {
      this.touch();
      this.isMember = true;
      this.assigned = payload.memberAssignment[COMMANDS] ?? [];
      this.places.clear();
      this.looks.clear();
    });
    consumer.on(END_BATCH_PROCESS, ({ payload }) => {
      this.places.set(payload.partition, BigInt(payload.lastOffset) + 1n);
    });
  }

  /** The consumer lives. */
  touch(): void {
    this.lastSign = this.clock.now();
  }

  /** A record is being settled, however long that takes. */
  busy(): void {
    this.touch();
    this.looks.clear();
  }

  /** Until one of the signals is aborted. @throws ConsumerStalled */
  async watch(...ends: readonly AbortSignal[]): Promise<void> {
    const ended = AbortSignal.any([...ends]);
    try {
      while (!ended.aborted) {
        await this.clock.sleep(LOOK_MS, ended).catch(() => undefined);
        if (!ended.aborted) await this.look(ended);
      }
    } finally {
      await this.letGo();
    }
  }

  private async look(ended: AbortSignal): Promise<void> {
    const silentMs = this.clock.now() - this.lastSign;
    if (silentMs > SILENT_MS) throw new ConsumerStalled(`the consumer has been silent for ${silentMs} ms`);
    if (!this.isMember) return;
    try {
      this.judge(await bounded(this.clock, ASKING_MS, 'asking for offsets', this.ask(), ended));
    } catch (error) {
      if (error instanceof ConsumerStalled) throw error;
      // Brokers that do not answer are the consumer's trouble, too, which says so itself.
      await this.letGo();
    }
  }

  private async letGo(): Promise<void> {
    const { admin } = this;
    this.admin = null;
    await closeQuietly(this.clock, admin);
  }

  /** By partition: where it ends and where this consumer is. */
  private async ask(): Promise<readonly { partition: number; end: bigint; place: bigint }[]> {
    const isNew = this.admin === null;
    const admin = (this.admin ??= this.kafka.admin());
    if (isNew) await admin.connect();
    const ends = await admin.fetchTopicOffsets(COMMANDS);
    const [committed] = await admin.fetchOffsets({ groupId: COMMANDS_GROUP, topics: [COMMANDS] });
    return ends
      .filter(({ partition }) => this.assigned.includes(partition))
      .map(({ partition, high, low }) => {
        const stored = BigInt(committed?.partitions.find((p) => p.partition === partition)?.offset ?? -1);
        const start = stored < BigInt(low) ? BigInt(low) : stored;
        const place = this.places.get(partition) ?? start;
        return { partition, end: BigInt(high), place };
      });
  }

  /** @throws ConsumerStalled */
  private judge(partitions: readonly { partition: number; end: bigint; place: bigint }[]): void {
    this.waiting = partitions.reduce((sum, { end, place }) => sum + Math.max(0, Number(end - place)), 0);
    for (const { partition, end, place } of partitions) {
      const at = `${partition} ${place} of ${end}`;
      const before = this.looks.get(partition);
      const times = before?.at === at ? before.times + 1 : 1;
      this.looks.set(partition, { at, times });
      if (place >= end || times < STILL_LOOKS || this.knownEnds.has(at)) continue;
      this.knownEnds.add(at);
      throw new ConsumerStalled(`partition ${partition} stays at ${place}, it ends at ${end}`);
    }
  }
}
