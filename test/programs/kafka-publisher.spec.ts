import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { type CloudEventV1, Kafka as CloudEventsKafka } from 'cloudevents';
import type { KafkaPublisher } from '#delivery';
import { KafkaBroker, hasKafka } from '../support/kafka-broker.js';
import { KafkaClient, type ReadRecord, deleteOurTopics } from '../support/kafka-client.js';
import { until } from '../support/until.js';
import { KafkaWorld, PUBLIC_URL } from '../support/kafka-world.js';

const EVENTS = 'annals.events';
const { TOPIC } = kafkajs.ConfigResourceTypes;

(hasKafka() ? describe : describe.skip)('the publisher, on a real broker', () => {
  let broker: KafkaBroker;
  let world: KafkaWorld;
  let client: KafkaClient;
  let started: KafkaPublisher[] = [];

  beforeAll(async () => void (broker = await KafkaBroker.start()));
  afterAll(() => broker.stop());
  beforeEach(async () => {
    world = await KafkaWorld.open();
    client = new KafkaClient(broker.address);
  });
  afterEach(async () => {
    // A test that failed may have left it dead.
    await broker.launch();
    await Promise.all(started.map((publisher) => publisher.stop(0)));
    started = [];
    await client.close();
    await world.close();
    await client.admin(deleteOurTopics);
  });

  const start = (address = broker.address): KafkaPublisher => {
    const publisher = world.publisher(address);
    publisher.start();
    started.push(publisher);
    return publisher;
  };
  const publishing = (publisher: KafkaPublisher): Promise<void> =>
    until(
      async () => (await publisher.status()).state === 'publishing',
      () => publisher.status(),
    );
  /** All that was written, once, in the order of each session, byte for byte. */
  const expectAll = async (records: readonly ReadRecord[]): Promise<void> => {
    await until(
      () => records.length >= world.written.length,
      () => `${records.length} of ${world.written.length}`,
    );
    const bySession = Map.groupBy(world.written, ({ session }) => session);
    for (const [session, written] of bySession) {
      const read = records.filter(({ key }) => key === session);
      expect(read.map(({ headers }) => headers['ce_id'])).toEqual(written.map(({ id }) => id));
      expect(new Set(read.map(({ partition }) => partition)).size).toBe(1);
    }
    expect(records).toHaveLength(world.written.length);
  };

  it('publishes every public event as a CloudEvent in binary mode, and nothing else', async () => {
    await world.write('s1', ['Six', ' times\u2028"seven"', ' is 42. 🙂']);
    await publishing(start());
    const records = await client.follow(EVENTS);
    await world.write('s2', ['later']);
    await expectAll(records);
    for (const { session, revision, id, type, json } of world.written) {
      const record = records.find(({ headers }) => headers['ce_id'] === id);
      const { headers = {}, value, key } = record ?? {};
      const told = json.slice(1).replaceAll('\u2028', '\\u2028');
      expect(value).toBe(`{"type":"${type}","session":"${session}",${told}`);
      expect(headers).toEqual({
        ce_specversion: '1.0',
        ce_id: id,
        ce_source: `${PUBLIC_URL}/sessions/${session}`,
        ce_type: 'org.example.annals.agent_response',
        ce_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        ce_subject: `run_${session}_1`,
        ce_project: 'p',
        ce_revision: String(revision),
        'content-type': 'application/json',
      });
      const message = { key, value, headers, body: value } as Parameters<typeof CloudEventsKafka.toEvent>[0];
      const event = CloudEventsKafka.toEvent(message) as CloudEventV1<object> & { validate(): boolean };
      expect(event.validate()).toBe(true);
      expect(event).toMatchObject({ id, specversion: '1.0', source: `${PUBLIC_URL}/sessions/${session}` });
    }
  });

  it('goes on where it stopped, and publishes nothing twice', async () => {
    const publisher = start();
    await publishing(publisher);
    const records = await client.follow(EVENTS);
    for (let round = 0; round < 3; round++) {
      await world.write(`s${round}`, ['a', 'b']);
      await world.write('s0', [`round ${round}`]);
      await expectAll(records);
      await publisher.stop(1_000);
      await world.write('s0', ['while nobody publishes']);
      publisher.start();
    }
    await expectAll(records);
    expect((await publisher.status()).published).toBe(world.written.length);
  });

  it('loses, doubles and re-orders nothing while the broker is killed and comes back', async () => {
    const publisher = start();
    await publishing(publisher);
    const records = await client.follow(EVENTS);
    const written = new AbortController();
    const writing = (async () => {
      for (let n = 0; !written.signal.aborted; n++) {
        await world.write(`s${n % 7}`, [`${n}`, `${n} again`]);
        await world.clock.sleep(1);
      }
    })();
    for (let kill = 0; kill < 3; kill++) {
      const before = records.length;
      await until(() => records.length > before + 100);
      await broker.kill();
      await until(
        async () => (await publisher.status()).state === 'failing',
        () => publisher.status(),
      );
      const { detail, lagMs } = await publisher.status();
      // Which part of the client notices first, is chance.
      expect(detail).toMatch(/connect|answer|coordinator/i);
      expect(lagMs).toBeGreaterThan(0);
      await broker.launch();
      await publishing(publisher);
    }
    written.abort();
    await writing;
    await expectAll(records);
    expect(await publisher.status()).toMatchObject({ state: 'publishing', detail: null });
    expect(world.errors).toEqual([]);
  });

  it('lets one publisher of a log take over from another: the first writes nothing more', async () => {
    const first = start();
    await publishing(first);
    const records = await client.follow(EVENTS);
    await world.write('s1', ['by the first']);
    await expectAll(records);
    const second = start();
    await publishing(second);
    const written = new AbortController();
    const writing = (async () => {
      for (let n = 0; !written.signal.aborted; n++) await world.write(`s${n % 3}`, [`${n}`]);
    })();
    await until(() => records.length > 200);
    await first.stop(0);
    written.abort();
    await writing;
    await expectAll(records);
  });

  it('ends although the broker does not answer, and loses nothing by it', async () => {
    const publisher = start();
    await publishing(publisher);
    broker.signal('SIGSTOP');
    try {
      await world.write('s1', ['nobody listens']);
      await world.clock.sleep(200);
      await publisher.stop(500);
    } finally {
      broker.signal('SIGCONT');
    }
    const again = start();
    await publishing(again);
    await expectAll(await client.follow(EVENTS));
  });

  it('names what is too large for the topic instead of sending it, and reads from the file store what it can', async () => {
    await client.makeTopic(EVENTS, 1, { 'max.message.bytes': '200000' });
    const text = 'x'.repeat(150_000);
    await world.write('s1', [
      await world.contents.toFile('s1', text),
      await world.contents.toFile('s1', text + text),
      'after',
    ]);
    await publishing(start());
    const records = await client.follow(EVENTS);
    await expectAll(records);
    const [first, second, third] = records;
    expect(JSON.parse(first?.value ?? '')).toEqual({ type: 'agent_response', session: 's1', content: text });
    expect(second?.value).toBe(null);
    expect(second?.headers['ce_dataref']).toBe(`${PUBLIC_URL}/runs/run_s1_1/events?after=1`);
    expect(second?.headers['content-type']).toBeUndefined();
    expect(third?.value).toContain('after');
  });

  it('publishes more than one transaction takes', async () => {
    const text = 'x'.repeat(100_000);
    for (let n = 0; n < 5; n++)
      await world.write(
        `s${n % 2}`,
        Array.from({ length: 6 }, (_, i) => `${n}.${i} ${text}`),
      );
    const publisher = start();
    await publishing(publisher);
    await expectAll(await client.follow(EVENTS));
    expect((await publisher.status()).transactions).toBeGreaterThanOrEqual(3);
  });

  it('says of an event that does not open that it does not, once, and goes on', async () => {
    await world.write('s1', ['before', 'damaged', 'after']);
    await world.damage('s1', 2);
    await publishing(start());
    const records = await client.follow(EVENTS);
    await expectAll(records);
    expect(records.map(({ value }) => value)).toEqual([
      expect.stringContaining('before'),
      '{"type":"agent_response","session":"s1","unreadable":true}',
      expect.stringContaining('after'),
    ]);
  });

  it('goes on without the content of a file that is gone', async () => {
    await world.write('s1', ['before', { $file: 'gone', bytes: 3 }, 'after']);
    await publishing(start());
    const records = await client.follow(EVENTS);
    await expectAll(records);
    expect(records.map(({ value }) => value === null)).toEqual([false, true, false]);
    expect(records[1]?.headers['ce_dataref']).toBe(`${PUBLIC_URL}/runs/run_s1_1/events?after=1`);
  });

  it.each([
    [
      EVENTS,
      3,
      { 'cleanup.policy': 'compact' },
      /annals\.events has cleanup\.policy=compact; it must be delete/,
    ],
    [EVENTS, 3, { 'max.message.bytes': '1000' }, /annals\.events has max\.message\.bytes=1000/],
    ['annals.checkpoints', 1, {}, /annals\.checkpoints has cleanup\.policy=delete; it must be compact/],
    ['annals.checkpoints', 2, { 'cleanup.policy': 'compact' }, /annals\.checkpoints has 2 partitions/],
  ])(
    'refuses a topic %s of %i partitions with %j, and publishes once it is mended',
    async (topic, partitions, config, expected) => {
      await client.makeTopic(topic, partitions, config);
      const publisher = start();
      await until(async () => (await publisher.status()).state === 'failing');
      expect((await publisher.status()).detail).toMatch(expected);
      await world.write('s1', ['hello']);
      await client.admin((admin) => admin.deleteTopics({ topics: [topic] }));
      await publishing(publisher);
      await expectAll(await client.follow(EVENTS));
    },
  );

  it('finds the brokers by an IPv6 address', async () => {
    const door = createServer((socket) => {
      const inner = connect(broker.port, '127.0.0.1');
      for (const one of [socket, inner]) one.on('error', () => undefined);
      socket.pipe(inner).pipe(socket);
    });
    const port = await new Promise<number | null>((resolve) => {
      door.once('error', () => resolve(null));
      door.listen(0, '::1', () => resolve((door.address() as AddressInfo).port));
    });
    // A machine without IPv6 has nothing that could be found.
    if (port === null) return console.warn('there is no ::1 here: not tried');
    try {
      await world.write('s1', ['hello']);
      const publisher = start(`[::1]:${port}`);
      await publishing(publisher);
      await expectAll(await client.follow(EVENTS));
      await publisher.stop(500);
    } finally {
      door.close();
    }
  });

  it('makes its topics as the page says', async () => {
    await publishing(start());
    const described = await client.admin((admin) =>
      admin.describeConfigs({
        includeSynonyms: false,
        resources: [
          { type: TOPIC, name: EVENTS, configNames: ['cleanup.policy', 'max.message.bytes'] },
          { type: TOPIC, name: 'annals.checkpoints', configNames: ['cleanup.policy', 'segment.ms'] },
        ],
      }),
    );
    const settings = described.resources.map(({ configEntries }) =>
      configEntries.map(({ configName, configValue }) => `${configName}=${configValue}`).toSorted(),
    );
    expect(settings).toEqual([
      ['cleanup.policy=delete', 'max.message.bytes=8388608'],
      ['cleanup.policy=compact', 'segment.ms=3600000'],
    ]);
    const { topics } = await client.admin((admin) => admin.fetchTopicMetadata({ topics: [EVENTS] }));
    expect(topics[0]?.partitions).toHaveLength(12);
  });
});
