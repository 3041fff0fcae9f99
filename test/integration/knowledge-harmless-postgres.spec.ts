import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Client, type QueryConfig } from 'pg';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { HARMLESS_FUNCTIONS } from '../../libs/knowledge/src/postgres/harmless-functions.js';
import { requireNoOwnFunctions } from '../../libs/knowledge/src/postgres/own-functions.js';
import { readStatement } from '../../libs/knowledge/src/postgres/read-statement.js';
import { CALLED_LATER } from '../../libs/knowledge/src/postgres/statement-grammar.js';
import { EmbeddedPostgres } from '#postgres';
import { type Dialect, hostileSql } from '../support/hostile-sql.js';

const SECRET = 'only-in-the-planted-file';
const RUNS = 600;

/** Whatever is called leaves a row, and whatever reads the file shows the secret. */
const TABLES = `
  CREATE TABLE marks (what text);
  CREATE TABLE ships (id integer PRIMARY KEY, name text, tags text[], crew jsonb);
  INSERT INTO ships VALUES (1, 'Vega', '{a,b}', '{"cook": "Anna"}'), (2, 'Lyra', NULL, NULL);
  CREATE SEQUENCE numbers;
  CREATE FUNCTION mark() RETURNS integer LANGUAGE sql AS $$ INSERT INTO marks VALUES ('x'); SELECT 1 $$;
  CREATE FUNCTION mark(text) RETURNS text LANGUAGE sql AS $$ INSERT INTO marks VALUES ($1); SELECT $1 $$;
  CREATE FUNCTION mark(ships) RETURNS text LANGUAGE sql AS $$ INSERT INTO marks VALUES ($1.name); SELECT $1.name $$;
  CREATE FUNCTION lower(integer) RETURNS text LANGUAGE sql AS $$ SELECT mark('lower') $$;
  CREATE FUNCTION length(boolean) RETURNS text LANGUAGE sql AS $$ SELECT mark('length') $$;
  CREATE FUNCTION name(integer) RETURNS text LANGUAGE sql AS $$ SELECT mark('name') $$;
  CREATE FUNCTION marked(text, text) RETURNS text LANGUAGE sql AS $$ SELECT mark($1 || $2) $$;
  CREATE OPERATOR <<>> (FUNCTION = marked, LEFTARG = text, RIGHTARG = text);
  CREATE FUNCTION is_marked(text) RETURNS boolean LANGUAGE sql AS $$ SELECT mark($1) IS NOT NULL $$;
  CREATE DOMAIN marking AS text CHECK (is_marked(VALUE));
  CREATE TYPE box_of AS (what text);
  CREATE FUNCTION boxed(jsonb) RETURNS box_of LANGUAGE sql AS $$ SELECT ROW(mark('cast'))::box_of $$;
  CREATE CAST (jsonb AS box_of) WITH FUNCTION boxed(jsonb);
  CREATE EXTENSION dblink;
`;

const POSTGRES: Dialect = {
  values:
    `1;2.5;'a';'it''s';NULL;true;E'\\\\a';E'a\\\\'b';$$a$$;$q$b$q$;U&'\\\\0061';id;name;"name";ships.name;tags[1];ARRAY['PG_VERSION']
    ;'planted';'planted'::text;ships;(ships).name;x'1F';B'01';current_user;date '2020-01-01';crew->'cook';'{"a":1}'::jsonb;'1'::int;CASE WHEN true THEN 1 END;ROW(1,'a')`
      .split(';')
      .map((text) => text.trim().replaceAll('\\\\', '\\')),
  functions: [
    'lower',
    'upper',
    'count',
    'coalesce',
    'pg_catalog.length',
    'length',
    'to_jsonb',
    '"lower"',
    'max',
    'name',
    'text',
    'mark',
    'public.lower',
    'pg_read_file',
    'unnest',
    'array_agg',
    'nextval',
    'U&"l\\006Fwer"',
    'EXISTS',
  ],
  hostile: [
    'mark()',
    `public.mark('x')`,
    `"mark" ('x')`,
    `U&"m\\0061rk"('x')`,
    `mark/**/('x')`,
    `pg_read_file('planted')`,
    `pg_catalog.pg_read_file('planted')`,
    `('planted').pg_read_file`,
    `(SELECT 'planted'::text).pg_read_file`,
    `(ARRAY['planted'])[1].pg_read_file`,
    'ships.mark',
    '(ships).mark',
    `nextval('numbers')`,
    `('numbers'::regclass).nextval`,
    'pg_advisory_lock(1)',
    '(1::bigint).pg_advisory_lock',
    `set_config('work_mem', '1MB', false)`,
    `lo_from_bytea(0, 'x')`,
    `dblink_exec('$HERE', 'INSERT INTO marks VALUES (1)')`,
    `query_to_xml('SELECT mark()', true, true, '')`,
    `ts_stat('SELECT to_tsvector(mark(''x''))')`,
    `'a' <<>> 'b'`,
    `'a' OPERATOR(public.<<>>) 'b'`,
    `'a'::marking`,
    `CAST('a' AS public.marking)`,
    `'{}'::jsonb::box_of`,
    `box_of('{}'::jsonb)`,
    `pg_input_is_valid('a', 'marking')`,
    '(SELECT count(*) FROM pg_file_settings)',
    `(SELECT 1 INTO fleet)`,
    `(WITH a AS (INSERT INTO marks VALUES ('with') RETURNING what) SELECT what FROM a)`,
    `(SELECT id FROM ships LIMIT 1 FOR UPDATE)`,
    `pg_notify('a', 'b')`,
    `txid_current()`,
    `lower(1)`,
    `length(true)`,
    `(1).lower`,
    `ships.id.name`,
  ],
  edges:
    `';'';E';E'a';E'a'\\n';E'\\\\';$$;é$$;é$$ $$;$q$;$é$;";"";U&";U&';*/;/*;/* /*;--;-- \\u0085;--\\u2028;--\\r;\\u0000;é;x'' ;E'a'\\n'\\\\', ;'\\n'; UESCAPE '!'`
      .split(';')
      .map((text) => JSON.parse(`"${text.replaceAll('"', '\\"')}"`) as string),
  operators: [
    '+',
    '||',
    '=',
    '<',
    'AND',
    'OR',
    'IS DISTINCT FROM',
    'LIKE',
    '<<>>',
    '->',
    '~',
    'IN',
    '::',
    'OPERATOR(pg_catalog.=)',
  ],
  suffixes: [
    '::text',
    '::marking',
    '.mark',
    '.lower',
    '.pg_read_file',
    '::jsonb',
    '[1]',
    ' IS NULL',
    ' COLLATE "C"',
    '::ships',
    '::box_of',
    '.name',
    '::regclass',
    '',
  ],
  sources: [
    'ships',
    'ships AS s (id, mark)',
    'public.ships',
    `unnest(ARRAY['planted']) ships`,
    `generate_series(1, 2) AS id`,
    `mark('x') AS ships`,
    `ROWS FROM (unnest(ARRAY[1]), mark('y')) AS ships`,
    `(SELECT 'planted' AS name) AS ships`,
    `json_to_recordset('[{"a":"x"}]') AS ships (a marking)`,
    `pg_ls_dir('.') AS ships`,
    `ships TABLESAMPLE mark(1)`,
    `numbers`,
    `(VALUES (mark('v'))) AS ships (name)`,
  ],
  tails: [
    'FOR UPDATE',
    'FOR KEY SHARE',
    'WHERE id = 1',
    `WHERE mark('w') IS NOT NULL`,
    'ORDER BY 1',
    `ORDER BY 1 USING OPERATOR(public.<<>>)`,
    'LIMIT mark()',
    `; INSERT INTO marks VALUES ('second')`,
    ';',
    `UNION ALL SELECT NULL`,
    'GROUP BY 1',
    'WINDOW w AS (ORDER BY mark())',
  ],
};

describe('a statement that reads, on a PostgreSQL where everything is allowed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-reads-postgres-'));
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() };
  const server = new EmbeddedPostgres(join(folder, 'data'), ports);
  let [root, other] = [new Client(), new Client()];
  let here = '';

  beforeAll(async () => {
    const settings = await server.start();
    const { user, password, host, port, database } = settings;
    here = `postgres://${user}:${password}@${host}:${port}/${database}`;
    writeFileSync(join(folder, 'data', 'planted'), SECRET);
    [root, other] = [new Client(settings), new Client(settings)];
    await Promise.all([root.connect(), other.connect()]);
    await root.query(`${TABLES}; SET statement_timeout = 2000`);
  });
  afterAll(async () => {
    await Promise.all([root.end(), other.end()]);
    await server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });

  test('has functions on its list that change nothing', async () => {
    const { rows } = await root.query<{ name: string; is_volatile: boolean; is_inner: boolean }>(
      `SELECT name, coalesce(bool_or(provolatile = 'v'), false) AS is_volatile,
          coalesce(bool_or(proargtypes::oid[] && ARRAY['internal'::regtype::oid, 'cstring'::regtype::oid]), false) AS is_inner
        FROM unnest($1::text[]) AS name
        LEFT JOIN pg_proc ON proname = name AND pronamespace = 'pg_catalog'::regnamespace
        WHERE proname IS NOT NULL OR to_regtype('pg_catalog.' || name) IS NULL
        GROUP BY name`,
      [[...HARMLESS_FUNCTIONS].filter((name) => ![...CALLED_LATER.values()].flat().includes(name))],
    );
    expect(rows.filter(({ is_inner }) => is_inner)).toEqual([]);
    // These differ each time, or look at what is on disk.
    const named = rows.flatMap(({ name, is_volatile }) => (is_volatile ? [name] : [])).sort();
    expect(named.join(' ')).toBe(
      'array_sample array_shuffle clock_timestamp gen_random_uuid pg_database_size pg_indexes_size pg_is_in_recovery ' +
        'pg_relation_size pg_sleep pg_sleep_for pg_sleep_until pg_table_size pg_total_relation_size random random_normal ' +
        'timeofday uuidv4 uuidv7',
    );
    expect(rows.length).toBeGreaterThan(400);
  });

  /** Everything that a statement could leave, seen from its own transaction and from another. */
  const state = async (): Promise<unknown> => {
    const inside = await root.query(
      `SELECT pg_current_xact_id_if_assigned()::text AS xid, (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks,
        (SELECT md5(string_agg(name || setting, ',' ORDER BY name)) FROM pg_settings WHERE source <> 'client') AS settings,
        (SELECT count(*) FROM pg_largeobject_metadata) AS objects, (SELECT count(*) FROM marks) AS marks,
        (SELECT count(*) FROM pg_locks WHERE mode NOT IN ('AccessShareLock', 'ExclusiveLock') AND pid = pg_backend_pid()) AS held`,
    );
    const outside = await other.query(
      `SELECT (SELECT count(*) FROM marks) AS marks, (SELECT last_value::text || is_called FROM numbers) AS number,
        (SELECT count(*) FROM pg_class) AS relations`,
    );
    return [inside.rows, outside.rows];
  };

  test('changes nothing and reads no file', async () => {
    let [taken, ran] = [0, 0];
    await fc.assert(
      fc.asyncProperty(hostileSql(POSTGRES), async (template) => {
        const sql = template.replace('$HERE', here);
        await root.query('BEGIN');
        try {
          const before = await state();
          const names = await readStatement(sql).catch(() => null);
          if (names === null || !(await isHarmless(root, names))) return;
          taken += 1;
          await root.query('SAVEPOINT here');
          const asked = { text: sql, queryMode: 'extended' } as QueryConfig;
          const found = await root.query<Record<string, unknown>>(asked).catch(() => null);
          if (found === null) await root.query('ROLLBACK TO here');
          else ran += 1;
          expect(JSON.stringify(found?.rows ?? [])).not.toContain(SECRET);
          expect(await state()).toEqual(before);
        } finally {
          await root.query('ROLLBACK');
        }
      }),
      { numRuns: RUNS },
    );
    // It lets enough through for this to say something.
    expect(ran).toBeGreaterThan(RUNS / 20);
    expect(taken).toBeGreaterThanOrEqual(ran);
  });
});

async function isHarmless(
  client: Client,
  names: Parameters<typeof requireNoOwnFunctions>[1],
): Promise<boolean> {
  try {
    await requireNoOwnFunctions(client, names);
    return true;
  } catch {
    return false;
  }
}
