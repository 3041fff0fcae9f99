import kafkajs, { type Admin } from 'kafkajs';
import { protocolErrorOf, reasonOf } from './kafka-client.js';

export const EVENTS = 'annals.events';
export const CHECKPOINTS = 'annals.checkpoints';
export const COMMANDS = 'annals.commands';
export const REJECTED = 'annals.commands.rejected';

/** The replicas that consume commands share them as this group. */
export const COMMANDS_GROUP = 'annals.commands';

/** A topic that is not there and cannot be made, or whose settings would lose or hold up what it is for. One line. */
export class TopicRefused extends Error {
  override readonly name = 'TopicRefused';
}

/** What a topic is made with where it is missing, and what it must be like where it is not. */
export interface TopicWish {
  readonly name: string;
  readonly partitions: number;
  readonly cleanup: 'delete' | 'compact';
  /** Bytes of the largest batch: it is made with so much. */
  readonly maxMessageBytes: number;
  /** A topic with less is refused. */
  readonly leastMessageBytes: number;
  /** Others write to it, packed as they like: the broker unpacks it, within `maxMessageBytes`, since the client here cannot. */
  readonly isUnpacked?: true;
  /** Its order is that of one partition. */
  readonly isSinglePartition?: true;
}

export interface TopicFacts {
  readonly maxMessageBytes: number;
}

/** Kafka's own default, less the framing that it adds. */
const DEFAULT_MESSAGE_BYTES = 1_048_576;
const REPLICAS = 3;

export const eventsTopic: TopicWish = {
  name: EVENTS,
  partitions: 12,
  cleanup: 'delete',
  maxMessageBytes: 8 * 1024 * 1024,
  leastMessageBytes: 64 * 1024,
};

export const checkpointsTopic: TopicWish = {
  name: CHECKPOINTS,
  partitions: 1,
  cleanup: 'compact',
  maxMessageBytes: DEFAULT_MESSAGE_BYTES,
  leastMessageBytes: 1024,
  isSinglePartition: true,
};

/** @param maxCommandBytes what a command may have; a topic that takes less refuses some at its producers, which is fair */
export const commandTopics = (maxCommandBytes: number): readonly TopicWish[] =>
  [COMMANDS, REJECTED].map((name) => ({
    name,
    partitions: 6,
    cleanup: 'delete' as const,
    maxMessageBytes: Math.max(DEFAULT_MESSAGE_BYTES, maxCommandBytes + 128 * 1024),
    leastMessageBytes: 64 * 1024,
    isUnpacked: true as const,
  }));

/** Small segments: what is outdated goes soon, and a start reads little. */
const COMPACTED = [
  { name: 'segment.ms', value: '3600000' },
  { name: 'segment.bytes', value: '16777216' },
  { name: 'min.cleanable.dirty.ratio', value: '0.1' },
];

/**
 * Makes what is missing and looks at what is there. @throws TopicRefused; whatever kafkajs says where no broker answers
 */
export async function ensureTopics(
  admin: Admin,
  wishes: readonly TopicWish[],
): Promise<ReadonlyMap<string, TopicFacts>> {
  const there = new Set(await admin.listTopics());
  const missing = wishes.filter(({ name }) => !there.has(name));
  if (missing.length > 0) await createTopics(admin, missing);
  const { topics } = await admin.fetchTopicMetadata({ topics: wishes.map(({ name }) => name) });
  for (const wish of wishes) {
    const found = topics.find(({ name }) => name === wish.name)?.partitions.length ?? 0;
    if (wish.isSinglePartition && found !== 1) {
      throw new TopicRefused(`topic ${wish.name} has ${found} partitions; it must have 1`);
    }
  }
  return checkConfigs(admin, wishes);
}

async function createTopics(admin: Admin, wishes: readonly TopicWish[]): Promise<void> {
  const { brokers } = await admin.describeCluster();
  const replicationFactor = Math.min(REPLICAS, brokers.length);
  for (const { name, partitions, cleanup, maxMessageBytes, isUnpacked } of wishes) {
    const configEntries = [
      { name: 'cleanup.policy', value: cleanup },
      { name: 'max.message.bytes', value: String(maxMessageBytes) },
      { name: 'min.insync.replicas', value: replicationFactor === REPLICAS ? '2' : '1' },
      ...(cleanup === 'compact' ? COMPACTED : []),
      ...(isUnpacked ? [{ name: 'compression.type', value: 'uncompressed' }] : []),
    ];
    const topic = { topic: name, numPartitions: partitions, replicationFactor, configEntries };
    try {
      await admin.createTopics({ topics: [topic], waitForLeaders: true });
    } catch (error) {
      const type = createErrorOf(error);
      if (type === 'TOPIC_ALREADY_EXISTS') continue;
      if (type === null) throw error;
      throw new TopicRefused(`topic ${name} does not exist and could not be made: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  }
}

/** kafkajs gathers what went wrong by topic. */
function createErrorOf(error: unknown): string | null {
  if (error instanceof kafkajs.KafkaJSAggregateError) return protocolErrorOf(error.errors[0]);
  return protocolErrorOf(error);
}

async function checkConfigs(
  admin: Admin,
  wishes: readonly TopicWish[],
): Promise<ReadonlyMap<string, TopicFacts>> {
  const configNames = ['cleanup.policy', 'max.message.bytes'];
  const type = kafkajs.ConfigResourceTypes.TOPIC;
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: wishes.map(({ name }) => ({ type, name, configNames })),
  });
  const facts = new Map<string, TopicFacts>();
  for (const wish of wishes) {
    const entries = resources.find(({ resourceName }) => resourceName === wish.name)?.configEntries ?? [];
    const valueOf = (of: string) => entries.find(({ configName }) => configName === of)?.configValue;
    const maxMessageBytes = Number(valueOf('max.message.bytes') ?? DEFAULT_MESSAGE_BYTES);
    requireCleanup(wish, valueOf('cleanup.policy') ?? wish.cleanup);
    if (maxMessageBytes < wish.leastMessageBytes) {
      throw new TopicRefused(
        `topic ${wish.name} has max.message.bytes=${maxMessageBytes}; it must be at least ${wish.leastMessageBytes}`,
      );
    }
    facts.set(wish.name, { maxMessageBytes });
  }
  return facts;
}

/** Compaction would leave one event of each session; deletion would leave no checkpoint. */
function requireCleanup({ name, cleanup }: TopicWish, found: string): void {
  const policies = found.split(',').map((policy) => policy.trim());
  if (policies.length === 1 && policies[0] === cleanup) return;
  throw new TopicRefused(`topic ${name} has cleanup.policy=${found}; it must be ${cleanup}`);
}
