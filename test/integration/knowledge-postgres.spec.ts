import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { EmbeddedPostgres } from '../../libs/read-models/src/postgres/embedded-postgres.js';
import { KnowledgeClient } from '../support/knowledge-client.js';
import { KnowledgeHouse } from '../support/knowledge-house.js';
import { KnowledgeRun } from '../support/knowledge-run.js';

const TABLES = `
  CREATE TABLE ships (id integer PRIMARY KEY, name text NOT NULL, built date, crew jsonb, weight numeric);
  INSERT INTO ships VALUES
    (1, 'Vega', '1998-03-01', '{"cook": "Anna"}', 12.50),
    (2, 'Ora''s "?"', NULL, '{"mate": "Ben"}', 7),
    (3, 'Lyra', '2004-12-24', NULL, NULL);
  CREATE TABLE voyages (ship integer REFERENCES ships, port text);
  CREATE FUNCTION sink() RETURNS integer LANGUAGE sql AS 'DELETE FROM ships; SELECT 1';
  CREATE FUNCTION sneak() RETURNS integer LANGUAGE plpgsql AS
    $$ BEGIN PERFORM set_config('transaction_read_only', 'off', true); DELETE FROM ships; RETURN 1; END $$;
  CREATE SEQUENCE numbers;
  CREATE EXTENSION dblink;
`;

describe('a PostgreSQL of the caller', () => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-callers-postgres-'));
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() };
  const server = new EmbeddedPostgres(join(folder, 'data'), ports);
  let house: KnowledgeHouse;
  let owner: Client;
  let url: string;
  let shop: string;
  const client = new KnowledgeClient(() => house.origin);

  const create = async (connectionString: string, more: object = {}): Promise<string> => {
    const metadata = { connectionString, ...more };
    const made = await client.ask('POST', '/create-datastore', { name: 'shop', type: 'database', metadata });
    expect(made.status).toBe(201);
    expect(JSON.stringify(made.body)).not.toContain('postgres://');
    return String(made.body['datastore_id']);
  };

  beforeAll(async () => {
    house = await KnowledgeHouse.open({ egressAllow: '127.0.0.1' });
    const settings = await server.start();
    owner = new Client(settings);
    await owner.connect();
    await owner.query(TABLES);
    const { user, password, host, port, database } = settings;
    url = `postgres://${user}:${password}@${host}:${port}/${database}`;
    shop = await create(url);
  }, 60_000);
  afterAll(async () => {
    await owner.end();
    await server.stop();
    await house.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });

  const ships = async (): Promise<number> =>
    Number((await owner.query<{ count: string }>('SELECT count(*) FROM ships')).rows[0]?.count);

  const open = (queries: { name: string; query: string }[] = [], id = shop) =>
    KnowledgeRun.open(house, {
      datastores: [{ id, name: 'shop' }],
      queries: queries.map((query) => ({ description: 'd', ...query })),
    });

  test('offers the schema and the agent’s own SQL', async () => {
    const run = await open();
    expect(run.names).toEqual(['shop_schema', 'shop_sql']);
    expect(run.tools.every(({ isRepeatable }) => isRepeatable)).toBe(true);
    const { content } = await run.call('shop_schema', {});
    expect(content).toContain(
      'public.ships (id integer not null, name text not null, built date, crew jsonb, weight numeric); PRIMARY KEY (id)',
    );
    expect(content).toContain('FOREIGN KEY (ship) REFERENCES ships(id)');
    expect(
      await run.result('shop_sql', { sql: 'SELECT * FROM ships WHERE id < 3 ORDER BY id DESC;' }),
    ).toEqual({
      columns: ['id', 'name', 'built', 'crew', 'weight'],
      rows: [
        [2, 'Ora\'s "?"', null, { mate: 'Ben' }, '7'],
        [1, 'Vega', '1998-03-01', { cook: 'Anna' }, '12.50'],
      ],
    });
  });

  test('binds values by position and never splices them', async () => {
    const run = await open([
      { name: 'by name', query: 'SELECT id FROM ships WHERE name = ? AND id > ? -- why?' },
      { name: 'cooks', query: `SELECT name, '?' AS "a?" FROM ships WHERE crew ? 'cook' /* ? */ AND id = ?` },
      { name: 'plain', query: 'SELECT count(*)::int FROM ships' },
      { name: 'page', query: 'SELECT id FROM ships WHERE ?::text IS NULL ORDER BY id LIMIT ? OFFSET ?' },
    ]);
    expect(run.names).toEqual(['by_name', 'cooks', 'plain', 'page', 'shop_schema', 'shop_sql']);
    const [byName] = run.tools;
    expect(byName?.definition.parameters).toMatchObject({
      required: ['value_1', 'value_2'],
      properties: { value_1: { type: ['string', 'number', 'boolean', 'null'] } },
    });
    expect((await run.result('by_name', { value_1: 'Ora\'s "?"', value_2: 0 })).rows).toEqual([[2]]);
    expect(
      (await run.result('by_name', { value_1: "' OR 1=1; DROP TABLE ships; --", value_2: 0 })).rows,
    ).toEqual([]);
    expect(await run.result('cooks', { value_1: 1 })).toEqual({
      columns: ['name', 'a?'],
      rows: [['Vega', '?']],
    });
    expect((await run.result('plain', {})).rows).toEqual([[3]]);
    expect((await run.result('page', { value_1: null, value_2: 1, value_3: 1 })).rows).toEqual([[2]]);
    expect(await run.call('by_name', { value_1: 'x' })).toEqual({
      content: expect.stringContaining('value_2'),
      isError: true,
    });
    expect(await run.call('by_name', { value_1: {}, value_2: 1 })).toMatchObject({ isError: true });
  });

  test.each([
    ['DELETE', 'DELETE FROM ships'],
    ['DELETE … RETURNING', 'DELETE FROM ships RETURNING id'],
    ['a change in WITH', 'WITH gone AS (DELETE FROM ships RETURNING id) SELECT * FROM gone'],
    ['a second statement', 'SELECT 1; DELETE FROM ships'],
    ['an end of the transaction', 'SELECT 1; COMMIT; BEGIN READ WRITE; DELETE FROM ships'],
    ['COPY to a program', `COPY (SELECT 1) TO PROGRAM 'touch ${folder}/hacked'`],
    ['COPY to a file', `COPY ships TO '${folder}/hacked'`],
    ['SELECT INTO', 'SELECT * INTO fleet FROM ships'],
    ['a function that writes', 'SELECT sink()'],
    ['a function that asks to write', 'SELECT sneak()'],
    ['a setting that asks to write', `SELECT set_config('transaction_read_only', 'off', false), sink()`],
    ['a sequence', `SELECT nextval('numbers')`],
    ['a large object', `SELECT lo_from_bytea(0, 'x')`],
    ['a lock', 'SELECT * FROM ships FOR UPDATE'],
    ['TRUNCATE', 'TRUNCATE ships CASCADE'],
    ['DDL', 'CREATE TABLE fleet (id int)'],
    ['DO', 'DO $$ BEGIN DELETE FROM ships; END $$'],
    ['a file of the server', `SELECT lo_export(1, '${folder}/hacked')`],
    ['a file of the server, to be read', `SELECT pg_read_file('postgresql.conf')`],
    ['a folder of the server', `SELECT * FROM pg_ls_dir('.')`],
    ['a replication slot', `SELECT pg_create_physical_replication_slot('annals')`],
    ['a backup', `SELECT pg_backup_start('annals')`],
    ['a message in the write-ahead log', `SELECT pg_logical_emit_message(false, 'a', 'b')`],
    ['another connection', `SELECT dblink_exec('$URL', 'DELETE FROM ships')`],
    [
      'another connection, quoted',
      `SELECT * FROM "dblink"('$URL', 'DELETE FROM ships RETURNING id') AS t (id int)`,
    ],
    ['another connection, escaped', `SELECT U&"dbl\\0069nk_exec"('$URL', 'DELETE FROM ships')`],
    [
      'another connection, in a text',
      `SELECT query_to_xml('SELECT dbl'||'ink_exec(''$URL'', ''DELETE FROM ships'')', true, true, '')`,
    ],
  ])('%s does not write', async (_, template) => {
    const sql = template.replace('$URL', url);
    const run = await open([{ name: 'action', query: sql }]);
    for (const [name, input] of [
      ['shop_sql', { sql }],
      ['action', {}],
    ] as const) {
      expect(await run.call(name, input)).toMatchObject({ isError: true });
      expect(await ships()).toBe(3);
      const { rows } = await owner.query(`SELECT to_regclass('fleet') AS fleet, is_called FROM numbers`);
      expect(rows).toEqual([{ fleet: null, is_called: false }]);
      expect(existsSync(join(folder, 'hacked'))).toBe(false);
    }
  });

  test('nothing of a call is left for the next', async () => {
    const run = await open();
    await run.call('shop_sql', {
      sql: `SELECT set_config('search_path', 'pg_catalog', false), pg_advisory_lock(7)`,
    });
    const { rows } = await run.result('shop_sql', {
      sql: `SELECT current_setting('search_path'), pg_try_advisory_lock(7), current_setting('transaction_read_only')`,
    });
    expect(rows).toEqual([['"$user", public', true, 'on']]);
  });

  test('a long result is cut and says so', async () => {
    const run = await open();
    const rows = await run.result('shop_sql', { sql: 'SELECT n FROM generate_series(1, 100000) n' });
    expect(rows.rows).toHaveLength(1000);
    expect(rows.note).toMatch(/only the first 1000 rows/);
    const wide = await run.result('shop_sql', {
      sql: `SELECT repeat('x', 100000) FROM generate_series(1, 100)`,
    });
    expect(JSON.stringify(wide).length).toBeLessThan(100_000);
    const huge = await run.call('shop_sql', { sql: `SELECT repeat('x', 100000000)` });
    expect(huge).toEqual({ content: expect.stringContaining('too large'), isError: true });
  });

  test('errors help, and tell nothing of the connection', async () => {
    const run = await open();
    const wrong = await run.call('shop_sql', { sql: 'SELECT nam FROM ships' });
    expect(wrong).toEqual({
      content: expect.stringMatching(
        /column "nam" does not exist at character 8 hint: .*ships\.name.* \(42703\)/,
      ),
      isError: true,
    });
    const { hostname, username, password } = new URL(url);
    const lost = await create(`postgres://${username}:wrong-password@${hostname}:1/none`);
    const locked = await create(url.replace(password, 'wrong-password'));
    for (const [id, says] of [
      [lost, 'the database cannot be reached'],
      [locked, 'the database does not let the service in (28P01)'],
    ] as const) {
      const { content } = await (await open([], id)).call('shop_sql', { sql: 'SELECT 1' });
      expect(content).toBe(says);
    }
  });

  test('a query that takes too long is stopped', async () => {
    const started = Date.now();
    const { content } = await (await open()).call('shop_sql', { sql: 'SELECT pg_sleep(60)' });
    expect(content).toMatch(/took longer than 15 s/);
    expect(Date.now() - started).toBeLessThan(20_000);
  }, 30_000);

  test('with readOnly false the queries of the request write, the agent’s own SQL does not', async () => {
    const writable = await create(url, { readOnly: false });
    const run = await open(
      [
        { name: 'add', query: 'INSERT INTO voyages VALUES (?, ?)' },
        { name: 'broken', query: 'INSERT INTO voyages SELECT 99, ?' },
      ],
      writable,
    );
    expect(run.tools.map(({ isRepeatable }) => isRepeatable)).toEqual([false, false, true, true]);
    expect(await run.call('add', { value_1: 1, value_2: 'Oslo' })).toEqual({ content: '{"rows_changed":1}' });
    expect(await run.call('broken', { value_1: 'Kiel' })).toMatchObject({ isError: true });
    expect(await run.call('shop_sql', { sql: 'DELETE FROM voyages' })).toMatchObject({ isError: true });
    expect((await owner.query('SELECT ship, port FROM voyages')).rows).toEqual([{ ship: 1, port: 'Oslo' }]);
  });

  test('with several databases a query says in which', async () => {
    const run = await KnowledgeRun.open(house, {
      datastores: [
        { id: shop, name: 'my shop' },
        { id: shop, name: 'my shop' },
      ],
      queries: [{ name: 'count', description: 'd', query: 'SELECT count(*)::int FROM ships' }],
    });
    expect(run.names).toEqual([
      'count',
      'my_shop_schema',
      'my_shop_sql',
      'my_shop_schema_2',
      'my_shop_sql_2',
    ]);
    expect((await run.result('count', { datastore: 'my shop (2)' })).rows).toEqual([[3]]);
    expect(await run.call('count', {})).toMatchObject({ isError: true });
  });

  test('unknown and foreign datastores are not found; queries need a database', async () => {
    const request = { project: 'one', queries: [], datastores: [{ id: 'ds_none', name: 'x' }] };
    await expect(house.knowledge.tools.check(request)).rejects.toMatchObject({ code: 'not_found' });
    const foreign = { project: 'two', queries: [], datastores: [{ id: shop, name: 'x' }] };
    await expect(house.knowledge.tools.check(foreign)).rejects.toMatchObject({ code: 'not_found' });
    const queries = [{ name: 'q', description: '', query: 'SELECT 1' }];
    const none = { project: 'one', queries, datastores: [{ id: await client.documents(), name: 'x' }] };
    await expect(house.knowledge.tools.check(none)).rejects.toMatchObject({ code: 'unprocessable' });
  });

  test('a query has a hundred placeholders at most, by what a placeholder is here', async () => {
    const marks = (count: number): string => Array(count).fill('?').join(', ');
    const check = (query: string) =>
      house.knowledge.tools.check({
        project: 'one',
        queries: [{ name: 'q', description: '', query }],
        datastores: [{ id: shop, name: 'x' }],
      });
    await check(`SELECT ${marks(100)}, '${marks(500)}'`);
    // To MySQL the rest of the line is a comment.
    await expect(check(`SELECT 1 # ${marks(101)}`)).rejects.toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining('queries[0].query'),
    });
  });
});
