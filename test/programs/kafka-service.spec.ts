import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KAFKA_USER, KafkaBroker, hasKafka } from '../support/kafka-broker.js';
import { KafkaClient, type ReadRecord } from '../support/kafka-client.js';
import { until } from '../support/until.js';
import type { ServiceClient } from '../support/service-client.js';
import { ServiceProcess } from '../support/service-process.js';

const EVENTS = 'annals.events';
const COMMANDS = 'annals.commands';
const REJECTED = 'annals.commands.rejected';
const GREETING = 'Hello, who are you?';

interface Run {
  readonly run_id: string;
  readonly session: string;
  readonly status: string;
  readonly trigger: string;
  readonly actor: string;
}

interface Readiness {
  readonly status: string;
  readonly checks: Readonly<Record<string, { readonly status: string; readonly detail?: string }>>;
}

(hasKafka() ? describe : describe.skip)('the service with Kafka', () => {
  let broker: KafkaBroker;
  let service: ServiceProcess;
  let client: ServiceClient;
  let kafka: KafkaClient;
  let events: ReadRecord[];
  let rejected: ReadRecord[];
  let counted = 0;

  beforeAll(async () => {
    broker = await KafkaBroker.start();
    const env = { KAFKA_BROKERS: broker.address, KAFKA_COMMANDS_PROJECT: 'default', MAX_BODY_KB: '100' };
    service = await ServiceProcess.start({ env });
    client = service.client();
    kafka = new KafkaClient(broker.address);
    await kafkaIs('ok');
    events = await kafka.follow(EVENTS);
    rejected = await kafka.follow(REJECTED);
  });
  afterAll(async () => {
    // Clients of a broker that is gone would try for ever.
    await broker.launch();
    await kafka.close();
    await service.dispose();
    await broker.stop();
  });

  const ready = async (): Promise<Readiness & { httpStatus: number }> => {
    const answer = await client.get('/readyz');
    return { ...answer.json<Readiness>(), httpStatus: answer.status };
  };
  const kafkaIs = (status: string): Promise<void> =>
    until(async () => (await ready()).checks['kafka']?.status === status, ready);
  const newKey = (): string => `key-${++counted}`;
  const command = (key: string | null, body: unknown, headers: Record<string, string> = {}): Promise<void> =>
    kafka.send(COMMANDS, { key, value: typeof body === 'string' ? body : JSON.stringify(body), headers });
  const runs = async (): Promise<Run[]> =>
    (await client.all<Run>('/runs')).filter(({ trigger }) => trigger === 'kafka');
  const messagesOf = async (session: string): Promise<string[]> =>
    (await client.history(session))
      .filter(({ type }) => type === 'user_message')
      .map(({ content }) => content);
  const jsonOf = (session: string): (string | null)[] =>
    events.filter(({ key }) => key === session).map(({ value }) => value);

  it('publishes what a client of the stream gets, byte for byte, and nothing of what is replayed or not stored', async () => {
    const stream = await client.run({ message: GREETING, streaming_tokens: true });
    await stream.closed();
    await until(() => jsonOf(stream.session).length >= stream.records.length);
    expect(jsonOf(stream.session)).toEqual(stream.records.map(({ json }) => json));
    const own = events.filter(({ key }) => key === stream.session);
    const ids = own.map(({ headers }) => headers['ce_revision']);
    expect(ids).toEqual(stream.records.map(({ id }) => String(id)));
    const replay = await client.stream('POST', `/runs/${stream.run}/replay`);
    await replay.closed();
    const { text } = await client.post('/v1/responses', { input: GREETING, store: false });
    const { session } = await client.runToEnd(GREETING);
    await until(() => jsonOf(session).some((json) => json?.includes('agent_completed') === true));
    const unstored = jsonOf(`ses_${text.split('_')[1]}`);
    expect([replay.isOver, jsonOf(replay.session), unstored]).toEqual([true, [], []]);
  });

  it('starts a run for a command, which every other door shows', async () => {
    const before = (await runs()).length;
    await command(newKey(), { message: GREETING });
    await until(async () => (await runs()).length === before + 1);
    const [run] = await runs();
    expect(run).toMatchObject({ trigger: 'kafka', actor: 'kafka' });
    const session = run?.session ?? '';
    await until(() => jsonOf(session).some((json) => json?.includes('agent_completed') === true));
    await command(newKey(), { message: 'And again?', session });
    await until(async () => (await messagesOf(session)).length === 2);
    expect(await messagesOf(session)).toEqual([GREETING, 'And again?']);
  });

  it('starts one run for a key: in the record, in a header, sent twice, or used over HTTP, too', async () => {
    const before = (await runs()).length;
    const [inRecord, inHeader] = [newKey(), newKey()];
    for (let n = 0; n < 2; n++) {
      await command(inRecord, { message: 'once' });
      await command('of the partition', { message: 'once' }, { 'idempotency-key': inHeader });
    }
    const headers = { 'idempotency-key': inRecord };
    const answer = await client.post('/', { message: 'once' }, { headers });
    await command(null, { message: 'last' });
    await command(null, { message: 'last' });
    await until(async () => (await runs()).length >= before + 4, runs);
    const kept = (await runs()).map(({ run_id }) => `/runs/${run_id}`);
    expect(kept).toHaveLength(before + 4);
    expect(kept).toContain(answer.headers['content-location']);
  });

  const bad: readonly (readonly [string, unknown, string, RegExp])[] = [
    ['no JSON', '{"message": ', 'invalid_request', /not valid JSON/],
    ['nothing', '', 'invalid_request', /empty|JSON/],
    ['a list', [1], 'invalid_request', /must be a JSON object/],
    ['no message', {}, 'invalid_request', /message: is required/],
    ['an unknown field', { message: 'm', stream: true }, 'invalid_request', /stream: is not a known field/],
    ['a session that is none', { message: 'm', session: 7 }, 'invalid_request', /session: must be a string/],
    [
      'a session too long to be one',
      { message: 'm', session: 'x'.repeat(201) },
      'invalid_request',
      /session: .* 200/,
    ],
    [
      'a rule that is too long',
      { message: 'm', rules: ['x'.repeat(4_001)] },
      'invalid_request',
      /rules\[0\]: .* 4000/,
    ],
    ['a session that is not there', { message: 'm', session: 'nowhere' }, 'not_found', /does not exist/],
    ['MCP servers', { message: 'm', mcp_servers: [mcpServer()] }, 'invalid_request', /a topic is storage/],
    ['too much', { message: 'm'.repeat(200_000) }, 'payload_too_large', /MAX_BODY_KB/],
    [
      'a broken schedule',
      { message: 'm', schedules: [{ schedule: 'soon', message: 'x' }] },
      'invalid_request',
      /schedule/,
    ],
    [
      'a callback to ourselves',
      { message: 'm', callback: { url: 'http://127.0.0.1/' } },
      'invalid_request',
      /callback\.url/,
    ],
  ];

  it.each(bad)('rejects %s with its problem, and goes on with the next', async (_, body, code, detail) => {
    const [before, key] = [(await runs()).length, newKey()];
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    await kafka.send(COMMANDS, { key, value: text, headers: { more: 'theirs' } });
    await command(newKey(), { message: 'the next' });
    await until(() => rejected.some((record) => record.key === key));
    const { value, headers } = rejected.find((record) => record.key === key)!;
    const problem = JSON.parse(headers['annals-problem'] ?? '') as Record<string, unknown>;
    expect(problem).toMatchObject({ type: 'about:blank', code, request_id: headers['annals-command'] });
    expect(problem['detail']).toMatch(detail);
    expect(headers['more']).toBe('theirs');
    if (code === 'payload_too_large') expect(value).toBe(null);
    else if (!text.includes('mcp_servers')) expect(value).toBe(text);
    else expect(value).toBe('{"message":"m"}');
    await until(async () => (await runs()).length === before + 1);
  });

  it("rejects another project's session and a key that was used with another payload", async () => {
    const other = (await client.post('/api-keys', { name: 'o', scopes: ['run'], project: 'other' })).json();
    const theirs = await client.with(String(other['key'])).runToEnd(GREETING);
    const [first, second] = [newKey(), newKey()];
    await command(first, { message: 'm', session: theirs.session });
    await command(second, { message: 'one' });
    await command(second, { message: 'another' });
    const codeOf = (key: string): unknown =>
      rejected
        .filter((record) => record.key === key)
        .map(({ headers }) => (JSON.parse(headers['annals-problem'] ?? '{}') as { code?: string }).code)[0];
    await until(() => codeOf(first) !== undefined && codeOf(second) !== undefined);
    expect([codeOf(first), codeOf(second)]).toEqual(['not_found', 'idempotency_mismatch']);
  });

  it('runs every command once although it is killed again and again', async () => {
    const before = (await runs()).length;
    const sessionsBefore = new Set((await runs()).map(({ session }) => session));
    const keys = Array.from({ length: 60 }, newKey);
    for (let kill = 0; kill < 3; kill++) {
      for (const key of keys.slice(kill * 20, kill * 20 + 20)) await command(key, { message: key });
      await until(async () => (await runs()).length > before + kill * 15);
      await service.restart('SIGKILL');
    }
    await until(
      async () => (await runs()).length >= before + 60,
      async () => (await runs()).length - before,
    );
    await command(newKey(), { message: 'the last' });
    await until(async () => (await runs()).length >= before + 61);
    const made = (await runs()).filter(({ session }) => !sessionsBefore.has(session));
    const texts = await Promise.all(made.map(async ({ session }) => (await messagesOf(session))[0]));
    expect(texts).toHaveLength(61);
    expect(new Set(texts)).toEqual(new Set([...keys, 'the last']));
    await until(() =>
      made.every(({ session }) => jsonOf(session).some((json) => json?.includes('agent_completed') === true)),
    );
    for (const { session } of made) {
      const ids = events
        .filter(({ key }) => key === session)
        .map(({ headers }) => Number(headers['ce_revision']));
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    }
  });

  it('runs go on while the broker is down, /readyz says so, and events and commands catch up', async () => {
    await broker.kill();
    const ended = await client.runToEnd('while it is down');
    expect(ended.status).toBe('completed');
    const both = /^events: .*connect.*; commands: .*connect/i;
    await until(async () => both.test((await ready()).checks['kafka']?.detail ?? ''), ready);
    const { httpStatus, status, checks } = await ready();
    expect([httpStatus, status, checks['kafka']?.status]).toEqual([200, 'ok', 'failing']);
    const figures = (await client.get('/metrics')).text;
    for (const name of [
      'annals_check_ok{check="kafka"}',
      'annals_kafka_ok{side="events"}',
      'annals_kafka_ok{side="commands"}',
    ])
      expect(figures).toContain(`${name} 0\n`);
    expect(figures).toMatch(/^annals_kafka_lag_seconds (?!0$)/m);
    await service.restart('SIGTERM');
    expect((await client.runToEnd('still down')).status).toBe('completed');
    await broker.launch();
    await kafkaIs('ok');
    await until(() => jsonOf(ended.session).some((json) => json?.includes('agent_completed') === true));
    const before = (await runs()).length;
    await command(newKey(), { message: 'back' });
    await until(async () => (await runs()).length === before + 1);
  });
});

(hasKafka() ? describe : describe.skip)('the service on a secured listener', () => {
  let broker: KafkaBroker;
  beforeAll(async () => void (broker = await KafkaBroker.start({ isSecured: true })));
  afterAll(() => broker.stop());

  const { username, password } = KAFKA_USER;
  const open = (sasl: string): Promise<ServiceProcess> =>
    ServiceProcess.start({
      env: {
        KAFKA_BROKERS: broker.secureAddress,
        KAFKA_SSL: 'true',
        KAFKA_SASL: sasl,
        NODE_EXTRA_CA_CERTS: broker.certificate,
        LOG_LEVEL: 'debug',
      },
    });
  const kafkaOf = async (service: ServiceProcess): Promise<{ status?: string; detail?: string }> =>
    (await service.client().get('/readyz')).json<Readiness>().checks['kafka'] ?? {};

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'])('publishes with TLS and %s', async (mechanism) => {
    const service = await open(`${mechanism}:${username}:${password}`);
    const kafka = new KafkaClient(broker.address);
    try {
      await until(
        async () => (await kafkaOf(service)).status === 'ok',
        () => kafkaOf(service),
      );
      const { session } = await service.client().runToEnd(GREETING);
      const events = await kafka.follow(EVENTS);
      await until(() =>
        events.some(({ key, value }) => key === session && value?.includes('agent_completed') === true),
      );
      expect(service.output).not.toContain(password);
    } finally {
      await kafka.close();
      await service.dispose();
    }
  });

  it('says that a password is wrong, without the password, and runs go on', async () => {
    const service = await open(`scram-sha-256:${username}:not-the-password`);
    try {
      await until(
        async () => /authentication|credentials|scram/i.test((await kafkaOf(service)).detail ?? ''),
        () => kafkaOf(service),
      );
      expect((await service.client().runToEnd(GREETING)).status).toBe('completed');
      expect(service.output).not.toContain('not-the-password');
    } finally {
      await service.dispose();
    }
  });
});

function mcpServer(): object {
  const auth = { type: 'bearer', token: 'a-token-that-nobody-may-keep' };
  return { serverName: 's', serverUrl: 'https://example.org/mcp', auth };
}
