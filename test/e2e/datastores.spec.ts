import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { EmbeddedPostgres } from '#postgres';
import { Gate, before, call, say } from '../support/scripted-model.js';
import { indexedDocument } from '../support/indexed-document.js';
import { filesWith } from '../support/search-bytes.js';
import { Stage } from '../support/stage.js';

/** The caller's own database. */
let folder: string;
let postgres: EmbeddedPostgres;
let connectionString: string;
let readerString: string;
let password: string;
let stage: Stage;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'annals-callers-'));
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() };
  postgres = new EmbeddedPostgres(join(folder, 'postgres'), ports);
  const found = await postgres.start();
  ({ password } = found);
  connectionString = `postgres://${found.user}:${password}@127.0.0.1:${found.port}/${found.database}`;
  await inDatabase(`CREATE TABLE parts (id int PRIMARY KEY, name text);
    INSERT INTO parts VALUES (1, 'bolt'), (2, 'nut');
    CREATE ROLE reader LOGIN PASSWORD '${password}'; GRANT SELECT ON parts TO reader`);
  readerString = connectionString.replace(`//${found.user}:`, '//reader:');
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await stage.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

async function inDatabase(sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql);
  await client.end();
  return rows;
}

async function documents(name: string, filename: string, text: string): Promise<string> {
  const made = await stage.client.post('/create-datastore', { name, type: 'documents' });
  expect(made.status).toBe(201);
  const id = String(made.json()['datastore_id']);
  const document = await indexedDocument(stage.service, id, { name: filename, content: text });
  expect(document).toMatchObject({ datastore_id: id, filename });
  return id;
}

async function database(): Promise<string> {
  const metadata = { connectionString: readerString };
  const made = await stage.client.post('/create-datastore', { name: 'shop', type: 'database', metadata });
  expect(made.status).toBe(201);
  return String(made.json()['datastore_id']);
}

const toolResponses = (events: readonly { readonly type: string; readonly content?: string }[]) =>
  events
    .filter(({ type }) => type === 'agent_tool_response')
    .map(({ content }) => JSON.parse(content ?? '') as { tool: string; content: string });

describe('a run with datastores', () => {
  it('answers from a document, with its file, and asks again after the process was killed', async () => {
    const id = await documents('manual', 'pump.md', '# Pump\n\nThe impeller turns at 1450 rpm.');
    const gate = new Gate();
    const message = stage.book.on(
      stage.message('how fast'),
      say(...call(0, 'c1', 'search_manual', { query: 'impeller speed rpm' })),
      say('It turns', before(gate), ' at 1450 rpm.'),
    );
    const datastores = [{ id, name: 'manual' }];
    const stream = await stage.client.run({ message, datastores, streaming_tokens: true });
    await stream.untilType('agent_tool_response');
    const [found] = toolResponses(stream.records.map(({ event }) => event));
    expect(found?.tool).toBe('search_manual');
    expect(JSON.parse(found?.content ?? '')).toMatchObject({
      passages: [{ filename: 'pump.md', text: expect.stringContaining('1450 rpm') as unknown }],
    });
    await gate.reached;
    await stage.service.restart('SIGKILL');
    gate.open();
    const rest = await (await stage.client.follow(`/runs/${stream.run}`, stream.lastId)).closed();
    expect(rest.lines.at(-1)).toBe('agent_completed');
    expect((await stage.client.history(stream.session)).at(-1)).toEqual({
      type: 'agent_response',
      content: 'It turns at 1450 rpm.',
    });
  });

  it('reads a database by the caller’s queries and by its own SQL, and writes nothing', async () => {
    const id = await database();
    const message = stage.book.on(
      stage.message('parts'),
      say(
        ...call(0, 'c1', 'part_by_id', { value_1: 2 }),
        ...call(1, 'c2', 'shop_sql', { sql: 'DELETE FROM parts' }),
      ),
      say('A nut.'),
    );
    const stream = await stage.client.run({
      message,
      datastores: [{ id, name: 'shop' }],
      queries: [{ name: 'part_by_id', description: 'A part', query: 'SELECT name FROM parts WHERE id = ?' }],
    });
    await stream.closed();
    const [query, sql] = toolResponses(stream.records.map(({ event }) => event));
    expect(query?.content).toContain('nut');
    expect(sql?.content).toMatch(/error|only|read/i);
    expect(await inDatabase('SELECT count(*)::int AS n FROM parts')).toEqual([{ n: 2 }]);
    expect(stage.service.output).not.toContain(password);
    expect(await filesWith(stage.service.dataDir, [password])).toEqual([]);
  });

  it('is refused for datastores that are not there or another’s, and nothing is begun', async () => {
    const id = await documents('notes', 'a.txt', 'alpha');
    const sessions = (await stage.client.all('/sessions')).length;
    const unknown = await stage.client.post('/', {
      message: 'x',
      datastores: [
        { id, name: 'a' },
        { id: 'ds_none', name: 'b' },
      ],
    });
    expect([unknown.status, unknown.json()['detail']]).toEqual([
      404,
      'datastores[1].id: the datastore does not exist',
    ]);
    const key = await stage.client.post('/api-keys', { name: 'o', project: 'other', scopes: ['run'] });
    const other = stage.client.with(String(key.json()['key']));
    const foreign = await other.post('/', { message: 'x', datastores: [{ id, name: 'a' }] });
    expect(foreign.status).toBe(404);
    const queries = [{ name: 'q', description: 'd', query: 'SELECT 1' }];
    const none = await stage.client.post('/', { message: 'x', datastores: [{ id, name: 'a' }], queries });
    expect(none.status).toBe(422);
    expect((await stage.client.all('/sessions')).length).toBe(sessions);
  });
});
