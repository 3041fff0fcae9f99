import kafkajs, { type Consumer, type Kafka } from 'kafkajs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsumerWatchdog } from '../../libs/delivery/src/kafka/consumer-watchdog.js';
import { KafkaBroker, hasKafka } from '../support/kafka-broker.js';
import { KafkaClient } from '../support/kafka-client.js';
import { until } from '../support/until.js';
import { ManualClock } from '../support/manual-clock.js';

const COMMANDS = 'annals.commands';
const LOOK_MS = 10_000;

(hasKafka() ? describe : describe.skip)('the watch over a consumer, on a real broker', () => {
  let broker: KafkaBroker;
  let kafka: Kafka;
  let client: KafkaClient;
  let consumer: Consumer;
  let clock: ManualClock;
  let ended: AbortController;

  beforeAll(async () => void (broker = await KafkaBroker.start()));
  afterAll(() => broker.stop());
  beforeEach(async () => {
    clock = new ManualClock();
    ended = new AbortController();
    client = new KafkaClient(broker.address);
    kafka = new kafkajs.Kafka({ brokers: [broker.address], logLevel: kafkajs.logLevel.NOTHING });
    consumer = kafka.consumer({ groupId: COMMANDS, maxWaitTimeInMs: 50 });
    await client.makeTopic(COMMANDS, 1);
  });
  afterEach(async () => {
    ended.abort();
    await consumer.disconnect();
    await client.close();
    await client.admin((admin) => admin.deleteTopics({ topics: [COMMANDS] }));
  });

  const tick = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      await until(
        () => clock.pending.length === 1 && clock.pending[0] === LOOK_MS,
        () => clock.pending,
      );
      clock.advance(LOOK_MS);
    }
  };
  const join = async (watch: ConsumerWatchdog): Promise<void> => {
    await consumer.connect();
    await consumer.subscribe({ topic: COMMANDS, fromBeginning: true });
    await consumer.run({ eachBatch: () => Promise.resolve() });
    await until(() => watch.isMember);
  };

  it('ends with an error when the consumer says nothing any more', async () => {
    const watch = new ConsumerWatchdog(consumer, kafka, clock, new Set());
    const watching = watch.watch(ended.signal);
    const failed = expect(watching).rejects.toThrow('the consumer has been silent for 50000 ms');
    await tick(5);
    await failed;
  });

  it('sees nothing wrong with a consumer at the end, behind the marker of a transaction', async () => {
    const watch = new ConsumerWatchdog(consumer, kafka, clock, new Set());
    await join(watch);
    await client.transact(COMMANDS, 'commit', { value: 'heard' });
    const watching = watch.watch(ended.signal);
    await tick(2);
    await until(async () => (await client.committed(COMMANDS, COMMANDS))[0] !== -1);
    await tick(6);
    expect(watch.waiting).toBe(0);
    ended.abort();
    await watching;
  });
});
