import type { Metrics } from '#platform';
import { type KafkaLink, isWell } from '../compose/open-kafka.js';

const NONE = {};

/** What goes to Kafka and comes from it, for operators. The publisher's lag is a follower's, too. */
export function watchKafka(metrics: Metrics, kafka: KafkaLink): void {
  const ok = metrics.gauge({
    name: 'annals_kafka_ok',
    help: '1 while this side of Kafka works or is left to another replica, 0 while it does not.',
    labels: ['side'],
  });
  const lag = metrics.gauge({
    name: 'annals_kafka_lag_seconds',
    help: 'Age of the oldest event that this replica is to publish and has not.',
  });
  const waiting = metrics.gauge({
    name: 'annals_kafka_commands_waiting',
    help: 'Commands in the partitions of this replica that are not settled.',
  });
  const records = metrics.counter({
    name: 'annals_kafka_records_total',
    help: 'Records of this process: events published, commands accepted and rejected.',
    labels: ['outcome'],
  });
  const told = { published: 0, accepted: 0, rejected: 0 };
  const tell = (outcome: keyof typeof told, total: number): void => {
    records.add({ outcome }, total - told[outcome]);
    told[outcome] = total;
  };
  metrics.onRead(async () => {
    const { publisher, commands } = await kafka.status();
    ok.set({ side: 'events' }, isWell(publisher) ? 1 : 0);
    lag.set(NONE, publisher.lagMs / 1000);
    tell('published', publisher.published);
    if (commands === null) return;
    ok.set({ side: 'commands' }, isWell(commands) ? 1 : 0);
    waiting.set(NONE, commands.waiting);
    tell('accepted', commands.accepted);
    tell('rejected', commands.rejected);
  });
}
