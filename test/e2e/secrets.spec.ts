import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { OpenApi } from '../../apps/server/src/features/docs/describe-service.js';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { EmbeddedPostgres } from '#postgres';
import { addressed, asksOf } from '../support/access/asks.js';
import { type Belongings, makeBelongings } from '../support/access/cast.js';
import { CallbackReceiver, answers } from '../support/callback-receiver.js';
import { Mariadb, hasMariadb } from '../support/knowledge-mariadb.js';
import { McpFixture, text } from '../support/mcp-servers/mcp-fixture.js';
import { OtlpReceiver } from '../support/otlp-receiver.js';
import { call, refusal, say } from '../support/scripted-model.js';
import { Search } from '../support/search-bytes.js';
import type { ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

/** Characters that are written differently in JSON, URLs and forms, so that no spelling passes for another. */
const awkward = (name: string): string => `${name}-"9f\\3+e/7Q%41`;
const master = randomBytes(32);
const hook = randomBytes(32);

/** One of everything that the contract keeps secret, by what it is. */
const secrets = {
  'first admin key': ADMIN_KEY,
  'master key': master.toString('base64'),
  'master key in hex': master.toString('hex'),
  "operator's webhook secret": hook.toString('base64'),
  'model key': 'ModelKey0123456789abcdefXYZ',
  'Kafka password': 'kafka-pw-7788xy',
  'callback header': awkward('cb-header'),
  'callback token in the URL': 'cb-token-in-url-5512',
  'MCP bearer token': 'mcp-bearer-1f2e3d4c',
  'MCP access token': 'mcp-oauth-9a8b7c6d',
  'PostgreSQL password': awkward('pg'),
  'MariaDB password': awkward('my'),
  'wrong password': awkward('wrong'),
  'unknown key': 'annals_unknown_key_0123456789',
};
/** Those that the service makes itself. */
const made: Record<string, string> = {};

const folder = mkdtempSync(join(tmpdir(), 'annals-callers-'));
let postgres: EmbeddedPostgres;
let mariadb: Mariadb | null = null;
let databases: Record<'postgres' | 'mariadb' | 'wrong', string>;
let collector: OtlpReceiver;
let receiver: CallbackReceiver;
let mcp: McpFixture;
let stage: Stage;
/** Every answer, with its head. */
const told: string[] = [];

beforeAll(async () => {
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() };
  postgres = new EmbeddedPostgres(join(folder, 'postgres'), ports);
  [databases, collector, receiver] = await Promise.all([
    openDatabases(),
    OtlpReceiver.start(),
    // The first attempt fails, with what it was sent in its answer.
    CallbackReceiver.start((request, response, n) =>
      answers(n === 0 ? 500 : 204, {}, JSON.stringify(request.headers))(request, response, n),
    ),
  ]);
  mcp = await McpFixture.start({
    token: secrets['MCP bearer token'],
    tools: [{ name: 'leak', run: () => text(`you are ${secrets['MCP bearer token']}`) }],
  });
  stage = await Stage.open({
    env: {
      ANNALS_MASTER_KEY: secrets['master key'],
      ANNALS_WEBHOOK_SECRET: `whsec_${secrets["operator's webhook secret"]}`,
      OPENAI_API_KEY: secrets['model key'],
      // Nobody is there: what it says of that must not name the password.
      KAFKA_BROKERS: '127.0.0.1:9',
      KAFKA_SASL: `plain:annals:${secrets['Kafka password']}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      EGRESS_ALLOW: '127.0.0.1',
      LOG_LEVEL: 'debug',
    },
  });
});

afterAll(async () => {
  await stage.close();
  await Promise.all([mcp.close(), receiver.close(), collector.close(), postgres.stop(), mariadb?.stop()]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

/** Databases of the caller, with passwords; one that is not let in. */
async function openDatabases(): Promise<typeof databases> {
  const { port, user, password, database } = await postgres.start();
  const place = (scheme: string, name: string, word: string, at: number, db: string): string =>
    `${scheme}://${name}:${encodeURIComponent(word)}@127.0.0.1:${at}/${db}`;
  const owner = new pg.Client({ host: '127.0.0.1', port, user, password, database });
  await owner.connect();
  await owner.query(`CREATE ROLE shop LOGIN PASSWORD ${owner.escapeLiteral(secrets['PostgreSQL password'])}`);
  await owner.end();
  const mine = place('postgres', 'shop', secrets['PostgreSQL password'], port, database);
  const wrong = place('postgres', 'shop', secrets['wrong password'], port, database);
  if (!hasMariadb()) return { postgres: mine, mariadb: mine, wrong };
  mariadb = await Mariadb.start();
  const root = await mariadb.connect();
  const word = root.escape(secrets['MariaDB password']);
  await root.query(
    `CREATE DATABASE shop; CREATE USER shop IDENTIFIED BY ${word}; GRANT ALL ON shop.* TO shop`,
  );
  await root.end();
  return {
    postgres: mine,
    mariadb: place('mysql', 'shop', secrets['MariaDB password'], mariadb.port, 'shop'),
    wrong,
  };
}

/** Asks, and remembers the answer. */
async function ask(client: ServiceClient, method: string, path: string, body?: unknown): Promise<string> {
  const answer = await client.call(method, path, body === undefined ? {} : { body });
  told.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.headers)}\n${answer.text}`);
  return answer.text;
}

/** A key whose answer, the one place where it is shown, is not remembered. */
async function newKey(): Promise<ServiceClient> {
  const scopes = ['run', 'read', 'datastores', 'admin'];
  const { key, webhook_secret } = (await stage.client.post('/api-keys', { name: 'k', scopes })).json();
  made['issued key'] = String(key);
  made['webhook secret'] = String(webhook_secret).slice('whsec_'.length);
  made['webhook secret in hex'] = Buffer.from(made['webhook secret'], 'base64').toString('hex');
  return stage.client.with(String(key));
}

async function database(client: ServiceClient, connectionString: string): Promise<string> {
  const body = { name: 'shop', type: 'database', metadata: { connectionString } };
  return (JSON.parse(await ask(client, 'POST', '/create-datastore', body)) as { datastore_id: string })
    .datastore_id;
}

/** A run that uses one of each, and looks into every database. */
async function useEverything(client: ServiceClient): Promise<string> {
  const names = Object.keys(databases);
  const datastores = [];
  for (const name of names)
    datastores.push({ id: await database(client, databases[name as keyof typeof databases]), name });
  const { serverUrl, ...server } = { serverUrl: mcp.url, serverName: 'tools' };
  const bearer = { type: 'bearer', token: secrets['MCP bearer token'] };
  const oauth = { type: 'oauth', oauth: { accessToken: secrets['MCP access token'] } };
  const calls = names.flatMap((name, n) => call(n, `c${n}`, `${name}_sql`, { sql: 'SELECT 1' }));
  const message = stage.book.on(
    stage.message('one of each'),
    say('I look. ', ...calls, ...call(9, 'c9', 'leak')),
    (attempt) =>
      attempt === 0 ? refusal(503, `Bearer ${secrets['model key']} is overloaded`) : say('Found.'),
  );
  const body = {
    message,
    datastores,
    mcp_servers: [
      { ...server, serverUrl, auth: bearer },
      // Not let in: the agent is told so.
      { serverName: 'locked', serverUrl, auth: oauth },
    ],
    callback: {
      url: `${receiver.url}?t=${secrets['callback token in the URL']}`,
      headers: { 'x-key': secrets['callback header'], authorization: `Bearer ${secrets['callback header']}` },
    },
    schedules: [{ schedule: 1, message: 'again, later' }],
  };
  const stream = await client.run(body, { headers: { 'idempotency-key': 'one of each' } });
  await stream.closed();
  told.push(JSON.stringify(stream.records), stream.others.join('\n'));
  expect(stream.lines.at(-1)).toBe('agent_completed');
  expect(stream.lines.join()).toMatch(/postgres_sql.*mariadb_sql.*wrong_sql/s);
  await receiver.ended(stream.run);
  return stream.run;
}

/** A caller that puts keys where they do not belong, and a model that repeats its own. */
async function misuse(client: ServiceClient): Promise<void> {
  const { 'unknown key': unknown, 'model key': model } = secrets;
  for (const path of [`/runs?cursor=${unknown}`, `/runs/${unknown}`, `/${unknown}`, `/?key=${unknown}`])
    await stage.client.with(unknown).call('GET', path);
  told.push((await stage.client.with(unknown).get('/runs')).text);
  const wrong = {
    name: 'x',
    type: 'database',
    metadata: { connectionString: `oracle://a:${awkward('wrong')}@h/d` },
  };
  await ask(client, 'POST', '/create-datastore', wrong);
  const message = stage.book.on(
    stage.message('refused'),
    refusal(401, `Incorrect API key provided: ${model}`),
  );
  await ask(client, 'POST', '/', { message, background: true });
}

/** Every GET of the interface, about the run and about one of each other thing. */
async function readEverything(client: ServiceClient, about: Belongings, run: string): Promise<void> {
  const { session } = JSON.parse(await ask(client, 'GET', `/runs/${run}`)) as { session: string };
  for (const id of [about, { ...about, ids: { ...about.ids, run_id: run, session } }])
    for (const one of asksOf((await client.get('/openapi.json')).json<OpenApi>()).filter(
      (a) => a.method === 'GET',
    )) {
      const { path, options } = addressed(one, id);
      const answer = await client.call('GET', path, options);
      told.push(`GET ${path}: ${answer.status} ${JSON.stringify(answer.headers)}\n${answer.text}`);
    }
}

it('stand in no byte that is left behind after a run that used one of each', async () => {
  const client = await newKey();
  const run = await useEverything(client);
  await misuse(client);
  const about = await makeBelongings({ stage, owner: client, hook: receiver.url }, 'mauve');
  await readEverything(client, about, run);
  await collector.until('the traces', () => collector.named('invoke_agent annals').length > 1);

  const search = new Search([...Object.values(secrets), ...Object.values(made)]);
  const leaks: string[] = [];
  const { service } = stage;
  // As a kill leaves it, with what is in write-ahead logs only; as an orderly end leaves it.
  await service.kill('SIGKILL');
  leaks.push(...(await search.below(service.dataDir)));
  await service.launch();
  await readEverything(client, about, run);
  await service.kill('SIGTERM');
  leaks.push(...(await search.below(service.dataDir)));
  for (const bytes of [...told, ...collector.bodies, service.output])
    for (const { word, how } of search.in(bytes)) leaks.push(`${word} (${how}) in ${bytes.slice(0, 200)}`);
  expect(leaks).toEqual([]);

  // What is no secret is found in each of these places, so secrets would be.
  const known = new Search([run]);
  expect((await known.below(service.dataDir)).length).toBeGreaterThan(1);
  for (const place of [told, collector.bodies, [service.output]])
    expect(place.some((bytes) => known.in(bytes).length > 0)).toBe(true);
  // Both sides were really used: the receiver and the tools got what is theirs.
  const [first] = receiver.of(run);
  expect([first?.headers['x-key'], first?.path]).toEqual([
    secrets['callback header'],
    expect.stringContaining(secrets['callback token in the URL']),
  ]);
  expect(mcp.calls).toEqual(['leak {}']);
});
