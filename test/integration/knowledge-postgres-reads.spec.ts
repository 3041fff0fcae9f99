import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CallersShop } from '../support/callers-shop.js';

describe('what reads, on a PostgreSQL of the caller', () => {
  let place: CallersShop;
  beforeAll(async () => {
    place = await CallersShop.open();
  });
  afterAll(() => place.close());

  const ships = async (): Promise<number> =>
    Number((await place.owner.query<{ count: string }>('SELECT count(*) FROM ships')).rows[0]?.count);

  test.each([
    ['DELETE', 'DELETE FROM ships'],
    ['DELETE … RETURNING', 'DELETE FROM ships RETURNING id'],
    ['a change in WITH', 'WITH gone AS (DELETE FROM ships RETURNING id) SELECT * FROM gone'],
    ['a second statement', 'SELECT 1; DELETE FROM ships'],
    ['an end of the transaction', 'SELECT 1; COMMIT; BEGIN READ WRITE; DELETE FROM ships'],
    ['COPY to a program', `COPY (SELECT 1) TO PROGRAM 'touch $FOLDER/hacked'`],
    ['COPY to a file', `COPY ships TO '$FOLDER/hacked'`],
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
    ['a file of the server', `SELECT lo_export(1, '$FOLDER/hacked')`],
    ['a file of the server, to be read', `SELECT pg_read_file('postgresql.conf')`],
    ['a folder of the server', `SELECT * FROM pg_ls_dir('.')`],
    ['a replication slot', `SELECT pg_create_physical_replication_slot('annals')`],
    ['a backup', `SELECT pg_backup_start('annals')`],
    ['a message in the write-ahead log', `SELECT pg_logical_emit_message(false, 'a', 'b')`],
    ['a function that is named as an attribute', 'SELECT ships.sink FROM ships'],
    ['a function that is named as an attribute of a value', `SELECT ('x'::text).sink`],
    ['a file that is named so', `SELECT ('PG_VERSION').pg_read_file`],
    [
      'a file that is named so, of a row of a function',
      `SELECT f.pg_read_file FROM unnest(array['PG_VERSION']) f`,
    ],
    ['a function of the database, named like one of the server', 'SELECT upper(1)'],
    ['a function of the database, with its schema', 'SELECT public.sink()'],
    ['an operator with a function of the database', `SELECT 'a' === 'b'`],
    ['an operator with its schema', `SELECT 'a' OPERATOR(public.===) 'b'`],
    ['a type with a function of the database', `SELECT 'x'::sunk`],
    [
      'bytes above 0x7F before a dollar quote',
      `SELECT 1 AS é$$, dblink_exec('$URL', 'DELETE FROM ships') AS é$$`,
    ],
    ['a string that goes on in the next line', `SELECT E'a'\n'\\', pg_read_file('PG_VERSION'), '''`],
    ['a file, behind a line that another line ends', `SELECT 1 --\u0085\n, pg_read_file('PG_VERSION')`],
    ['settings of the server from their files', 'SELECT * FROM pg_file_settings'],
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
    const sql = template.replace('$URL', place.rootUrl).replaceAll('$FOLDER', place.folder);
    const run = await place.run([{ name: 'action', query: sql }]);
    for (const [name, input] of [
      ['shop_sql', { sql }],
      ['action', {}],
    ] as const) {
      expect(await run.call(name, input)).toMatchObject({ isError: true });
      expect(await ships()).toBe(3);
      const { rows } = await place.owner.query(
        `SELECT to_regclass('fleet') AS fleet, is_called FROM numbers`,
      );
      expect(rows).toEqual([{ fleet: null, is_called: false }]);
      expect(existsSync(join(place.folder, 'hacked'))).toBe(false);
    }
  });

  test('a role that reaches files of the server is refused where nothing may write', async () => {
    const as = (role: string): string => place.url.replace('reader', role);
    for (const [asRole, reason] of [
      [place.rootUrl, 'the role is a superuser'],
      [as('filer'), 'the role has pg_read_server_files'],
      [as('nested'), 'the role has pg_read_server_files'],
    ] as const) {
      const { status, body } = await place.make(asRole);
      expect(status).toBe(422);
      expect(body['detail']).toContain(`metadata.connectionString: ${reason}`);
      expect(body['errors']).toEqual([
        { path: 'metadata.connectionString', message: expect.stringContaining(reason) },
      ]);
      expect((await place.make(asRole, { readOnly: false })).status).toBe(201);
    }
    // Good when it was created, and not any more.
    const run = await place.run();
    await place.owner.query('GRANT pg_write_server_files TO reader');
    for (const call of [run.call('shop_sql', { sql: 'SELECT 1' }), run.call('shop_schema', {})])
      expect(await call).toEqual({
        content: expect.stringContaining('has pg_write_server_files'),
        isError: true,
      });
    await place.owner.query('REVOKE pg_write_server_files FROM reader');
    expect(await run.call('shop_sql', { sql: 'SELECT 1' })).not.toHaveProperty('isError', true);
  });

  test('the schema of the connection string is the search path', async () => {
    const id = await place.create(`${place.url}?schema=elsewhere`);
    await place.owner.query(
      `CREATE SCHEMA elsewhere; GRANT USAGE ON SCHEMA elsewhere TO reader;
        CREATE VIEW elsewhere.ports AS SELECT 'Oslo' AS name; GRANT SELECT ON elsewhere.ports TO reader`,
    );
    const run = await place.run([], id);
    expect((await run.result('shop_sql', { sql: 'SELECT name FROM ports' })).rows).toEqual([['Oslo']]);
    expect(await run.call('shop_sql', { sql: 'SELECT name FROM ships' })).toMatchObject({ isError: true });
  });

  test.each([
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT sum(i)::int FROM n`,
    `SELECT s.name, count(*) FILTER (WHERE v.port <> '') OVER (PARTITION BY s.id) FROM ships s LEFT JOIN voyages v ON v.ship = s.id`,
    `SELECT extract(year FROM built), built AT TIME ZONE 'UTC', substring(name FROM 1 FOR 2), trim(name) FROM ships`,
    `SELECT crew->>'cook', crew @> '{"cook": "Anna"}', jsonb_path_query_first(crew, '$.cook') FROM ships`,
    `SELECT json_object('a' VALUE 1), json_array(1, 2), json_value('{"a": 1}'::jsonb, '$.a' RETURNING int)`,
    `SELECT * FROM json_table('[1, 2]'::jsonb, '$[*]' COLUMNS (a int PATH '$'))`,
    `SELECT * FROM json_to_recordset('[{"a": 1}]') AS x (a int, b text)`,
    `SELECT 'rough'::mood > 'calm', 'ABC'::citext = 'abc', replace('Ab'::citext, 'a', 'x'), similarity('boat', 'boot')`,
    `SELECT CASE name WHEN 'Vega' THEN 1 ELSE 2 END, coalesce(weight, 0), greatest(1, 2), nullif(1, 1), name ILIKE 'v%' FROM ships`,
    `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY weight), grouping(name) FROM ships GROUP BY ROLLUP (name)`,
    `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`,
    `SELECT c.relname, format_type(a.atttypid, a.atttypmod) FROM pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid LIMIT 3`,
    `VALUES (1, 'a'), (2, 'b')`,
    `TABLE ships`,
    `SELECT 'größe' AS größe, $$it's$$, U&'\\0041', E'a\\nb' -- é\n`,
    `SELECT * FROM ships TABLESAMPLE system (100)`,
    `SELECT name FROM ships WHERE id = ANY (ARRAY[1, 2]) AND built BETWEEN date '1990-01-01' AND now() ORDER BY name COLLATE "C" DESC NULLS LAST FETCH FIRST 2 ROWS ONLY`,
    `(SELECT 1 EXCEPT SELECT 2) UNION ALL SELECT 3 INTERSECT SELECT 3`,
    `SELECT (ARRAY[1,2,3])[1:2], ROW(1, 'a'), (SELECT max(id) FROM ships), EXISTS (SELECT FROM ships), interval '1 day' + now()`,
  ])('%s is read', async (sql) => {
    const run = await place.run([{ name: 'action', query: sql }]);
    for (const [name, input] of [
      ['shop_sql', { sql }],
      ['action', {}],
    ] as const)
      expect(await run.call(name, input)).toEqual({ content: expect.stringContaining('"rows":[[') });
  });

  test('what is too long, too deep or too new is refused with the reason', async () => {
    const run = await place.run();
    for (const [sql, reason] of [
      [`SELECT ${'(SELECT '.repeat(2_000)}1${')'.repeat(2_000)}`, 'too deeply nested'],
      [`SELECT ${'1+'.repeat(9_000)}1`, 'too deeply nested'],
      [`SELECT '${'x'.repeat(20_000)}'`, '20000 characters at most'],
      ['SELECT 1 FROM GRAPH_TABLE (g MATCH (a) COLUMNS (b))', 'only what PostgreSQL 18 and earlier can read'],
      ['SELECT \u0000', 'U+0000'],
      ['SELECT \ud800', 'characters that no text may hold'],
      ['EXPLAIN ANALYZE SELECT 1', 'only a SELECT'],
      ['', 'must be a SELECT'],
      ['-- nothing', 'only a SELECT'],
    ] as const)
      expect(await run.call('shop_sql', { sql })).toEqual({
        content: expect.stringContaining(reason),
        isError: true,
      });
    expect((await run.result('shop_sql', { sql: 'SELECT 1' })).rows).toEqual([[1]]);
  });
});
