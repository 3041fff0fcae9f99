import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { survive } from '../reliability/survive.js';
import { KafkaBroker, hasKafka } from '../support/kafka-broker.js';
import { KafkaClient } from '../support/kafka-client.js';
import { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

const COMMANDS = 'annals.commands';
const REJECTED = 'annals.commands.rejected';
const DIE_AT_WORDS = resolve('test/e2e/hooks/die-at-words.ts');

(hasKafka() ? describe : describe.skip)('a command that ends the process', () => {
  let broker: KafkaBroker;
  let kafka: KafkaClient;
  let service: ServiceProcess;

  beforeAll(async () => {
    broker = await KafkaBroker.start();
    kafka = new KafkaClient(broker.address);
    const env = {
      KAFKA_BROKERS: broker.address,
      KAFKA_COMMANDS_PROJECT: 'default',
      DIE_AT_WORDS: 'read:poison',
    };
    service = await ServiceProcess.start({ imports: [DIE_AT_WORDS], env });
  });
  afterAll(async () => {
    await kafka.close();
    await service.dispose();
    await broker.stop();
  });

  it('is rejected after three deaths, with the reason, and those beside and behind it have their runs', async () => {
    const rejected = await kafka.follow(REJECTED);
    const poison = JSON.stringify({ message: 'poison' });
    let sent = 0;
    // Of one key, so that they are of one partition.
    const record = (value: string, key = 'a') => ({
      key,
      value,
      headers: { 'idempotency-key': `${++sent}` },
    });
    const ordinary = (message: string, key?: string) => record(JSON.stringify({ message }), key);
    await kafka.send(
      COMMANDS,
      ordinary('before'),
      record(poison),
      ordinary('behind'),
      ...['b', 'c', 'd', 'e'].map((key) => ordinary('beside', key)),
    );
    const runs = async (): Promise<number> => {
      const all = await service.client().all<{ trigger: string; status: string }>('/runs');
      return all.filter(({ trigger, status }) => trigger === 'kafka' && status === 'completed').length;
    };
    const seen = async (): Promise<readonly number[]> => [rejected.length, await runs().catch(() => -1)];
    const isOver = until(async () => String(await seen()) === '1,6', seen);
    expect(await survive(service, isOver)).toBe(3);
    expect(rejected).toHaveLength(1);
    const { key, value, headers } = rejected[0]!;
    expect([key, value, headers['idempotency-key']]).toEqual(['a', poison, '2']);
    expect(JSON.parse(headers['annals-problem'] ?? '')).toMatchObject({
      code: 'unprocessable',
      request_id: headers['annals-command'],
      detail: expect.stringMatching(/^3 processes ended while they handled this command/),
    });
    // It is over for good.
    await service.restart('SIGKILL');
    await kafka.send(COMMANDS, ordinary('later'));
    await until(async () => (await runs()) === 7);
    expect(rejected).toHaveLength(1);
  });
});
