import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Connection } from 'mysql2/promise';
import { KnowledgeClient } from '../support/knowledge-client.js';
import { KnowledgeHouse } from '../support/knowledge-house.js';
import { Mariadb, hasMariadb } from '../support/knowledge-mariadb.js';
import { KnowledgeRun } from '../support/knowledge-run.js';

const TABLES = `
  CREATE DATABASE shop CHARACTER SET utf8mb4; USE shop;
  CREATE TABLE ships (id integer PRIMARY KEY, name varchar(50) NOT NULL, built date, weight decimal(10,2), big bigint);
  INSERT INTO ships VALUES (1, 'Vega', '1998-03-01', 12.50, 9007199254740993), (2, 'Ora''s "?"', NULL, 7, NULL), (3, 'Lyra', '2004-12-24', NULL, NULL);
  CREATE TABLE old_ships (id integer PRIMARY KEY, name varchar(50)) ENGINE=MyISAM;
  INSERT INTO old_ships VALUES (1, 'Argo');
  CREATE TABLE voyages (ship integer, port varchar(50), FOREIGN KEY (ship) REFERENCES ships (id));
  CREATE FUNCTION sink() RETURNS integer BEGIN DELETE FROM ships; RETURN 1; END;
  CREATE FUNCTION sink_old() RETURNS integer BEGIN DELETE FROM old_ships; RETURN 1; END;
  CREATE PROCEDURE sink_all() BEGIN DELETE FROM ships; END;
  CREATE SEQUENCE numbers;
`;

const isThere = hasMariadb();
if (!isThere) {
  if (process.env['CI'] === 'true') throw new Error('CI needs mariadb-server');
  console.warn('MariaDB is not installed (Debian: apt-get install mariadb-server): its tests are skipped');
}

(isThere ? describe : describe.skip)('a MariaDB of the caller', () => {
  let server: Mariadb;
  let house: KnowledgeHouse;
  let owner: Connection;
  let shop: string;
  const client = new KnowledgeClient(() => house.origin);

  const create = async (scheme: string, more: object = {}): Promise<string> => {
    const metadata = { connectionString: `${scheme}://root@127.0.0.1:${server.port}/shop`, ...more };
    const { body } = await client.ask('POST', '/create-datastore', {
      name: 'shop',
      type: 'database',
      metadata,
    });
    return String(body['datastore_id']);
  };

  beforeAll(async () => {
    [house, server] = await Promise.all([KnowledgeHouse.open({ egressAllow: '127.0.0.1' }), Mariadb.start()]);
    owner = await server.connect();
    await owner.query(TABLES);
    shop = await create('mariadb');
  }, 60_000);
  afterAll(async () => {
    await owner.end();
    await server.stop();
    await house.close();
  });

  const open = (queries: { name: string; query: string }[] = [], id = shop) =>
    KnowledgeRun.open(house, {
      datastores: [{ id, name: 'shop' }],
      queries: queries.map((query) => ({ description: 'd', ...query })),
    });

  const state = async (): Promise<unknown> => {
    const [rows] = await owner.query(
      `SELECT (SELECT count(*) FROM ships) AS ships, (SELECT count(*) FROM old_ships) AS old,
        (SELECT next_not_cached_value FROM numbers) AS number, @@global.max_connections > 1 AS up,
        (SELECT count(*) FROM information_schema.tables WHERE table_schema = 'shop') AS tables`,
    );
    return rows;
  };

  test('offers the schema and the agent’s own SQL', async () => {
    const run = await open();
    expect(run.names).toEqual(['shop_schema', 'shop_sql']);
    const { content } = await run.call('shop_schema', {});
    expect(content).toContain('shop.ships (id int(11) not null primary key, name varchar(50) not null');
    expect(content).toContain('ship int(11) references ships(id)');
    expect(
      await run.result('shop_sql', { sql: 'SELECT * FROM ships WHERE id < 3 ORDER BY id DESC;' }),
    ).toEqual({
      columns: ['id', 'name', 'built', 'weight', 'big'],
      rows: [
        [2, 'Ora\'s "?"', null, '7.00', null],
        [1, 'Vega', '1998-03-01', '12.50', '9007199254740993'],
      ],
    });
    const same = await run.result('shop_sql', {
      sql: 'SELECT a.id, b.id FROM ships a JOIN ships b USING (id) LIMIT 1',
    });
    expect(same.columns).toEqual(['id', 'id']);
  });

  test('binds values by position and never splices them', async () => {
    const run = await open(
      [
        { name: 'by_name', query: `SELECT id FROM ships WHERE name = ? AND id > ? -- why?` },
        { name: 'quoted', query: 'SELECT name, "?" AS `a?` FROM ships # ?\n WHERE id = ? /* ? */' },
        { name: 'page', query: 'SELECT id FROM ships WHERE ? IS NULL ORDER BY id LIMIT ? OFFSET ?' },
        { name: 'truth', query: 'SELECT id FROM ships WHERE (id = 1) = ?' },
      ],
      await create('mysql'),
    );
    expect((await run.result('by_name', { value_1: 'Ora\'s "?"', value_2: 0 })).rows).toEqual([[2]]);
    expect((await run.result('by_name', { value_1: "' OR 1=1; -- ", value_2: 0 })).rows).toEqual([]);
    expect(await run.result('quoted', { value_1: 1 })).toEqual({
      columns: ['name', 'a?'],
      rows: [['Vega', '?']],
    });
    expect((await run.result('page', { value_1: null, value_2: 1, value_3: 1 })).rows).toEqual([[2]]);
    expect((await run.result('truth', { value_1: true })).rows).toEqual([[1]]);
  });

  test.each([
    ['DELETE', 'DELETE FROM ships'],
    ['DELETE … RETURNING', 'DELETE FROM ships RETURNING id'],
    ['a second statement', 'SELECT 1; DELETE FROM ships'],
    ['an end of the transaction', 'SELECT 1; COMMIT; DELETE FROM ships'],
    ['INTO OUTFILE', `SELECT * FROM ships INTO OUTFILE '/tmp/annals-hacked'`],
    ['INTO OUTFILE before FROM', `SELECT * INTO OUTFILE '/tmp/annals-hacked' FROM ships`],
    ['INTO OUTFILE behind a parenthesis', `SELECT 1) AS q INTO OUTFILE '/tmp/annals-hacked' -- `],
    ['INTO OUTFILE in an open comment', `SELECT 1) AS q INTO OUTFILE '/tmp/annals-hacked' /* `],
    ['code in a comment', `SELECT 1 /*! INTO OUTFILE '/tmp/annals-hacked' */`],
    ['code in a comment of MariaDB', `SELECT 1 /*M! INTO OUTFILE '/tmp/annals-hacked' */`],
    ['a function that writes', 'SELECT sink()'],
    ['a function that writes without transactions', 'SELECT sink_old()'],
    ['a procedure', 'CALL sink_all()'],
    ['a sequence', 'SELECT NEXTVAL(numbers)'],
    ['a sequence that is set', 'SELECT SETVAL(numbers, 1000)'],
    ['TRUNCATE', 'TRUNCATE ships'],
    ['DDL', 'CREATE TABLE fleet (id int)'],
    ['CREATE … SELECT', 'CREATE TABLE fleet AS SELECT * FROM ships'],
    ['a block', 'BEGIN NOT ATOMIC DELETE FROM ships; END'],
    ['LOAD DATA', `LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE voyages`],
    ['a file of the server, to be read', `SELECT LOAD_FILE('/etc/passwd')`],
    ['a file of the server, quoted', "SELECT `load_file` ('/etc/passwd')"],
    ['a global setting', 'SET GLOBAL max_connections = 1'],
    ['REPLACE', `REPLACE INTO ships VALUES (1, 'x', NULL, NULL, NULL)`],
  ])('%s does not write', async (_, sql) => {
    const before = await state();
    const run = await open([{ name: 'action', query: sql }]);
    for (const [name, input] of [
      ['shop_sql', { sql }],
      ['action', {}],
    ] as const) {
      expect(await run.call(name, input)).toMatchObject({ isError: true });
      expect(await state()).toEqual(before);
    }
  });

  test('a long result is cut and says so', async () => {
    const run = await open();
    const rows = await run.result('shop_sql', { sql: 'SELECT seq FROM seq_1_to_100000' });
    expect(rows.rows).toHaveLength(1000);
    expect(rows.note).toMatch(/only the first 1000 rows/);
  });

  test('errors help, and tell nothing of the connection', async () => {
    const { content } = await (await open()).call('shop_sql', { sql: 'SELECT nam FROM ships' });
    expect(content).toMatch(/Unknown column 'nam' in '.*' \(1054\)/);
    const metadata = { connectionString: `mysql://secretuser:secretword@127.0.0.1:${server.port}/shop` };
    const { body } = await client.ask('POST', '/create-datastore', { name: 'x', type: 'database', metadata });
    const locked = await open([], String(body['datastore_id']));
    const answer = await locked.call('shop_sql', { sql: 'SELECT 1' });
    expect(answer.content).toBe('the database does not let the service in (1045)');
  });

  test('a query that takes too long is stopped', async () => {
    const started = Date.now();
    const sql = 'SELECT count(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b WHERE a.seq + b.seq < 0';
    const { content } = await (await open()).call('shop_sql', { sql });
    expect(content).toMatch(/took longer than 15 s/);
    expect(Date.now() - started).toBeLessThan(20_000);
  }, 30_000);

  test('with readOnly false the queries of the request write, the agent’s own SQL does not', async () => {
    const writable = await create('mysql', { readOnly: false });
    const run = await open([{ name: 'add', query: 'INSERT INTO voyages VALUES (?, ?)' }], writable);
    expect(await run.call('add', { value_1: 1, value_2: 'Oslo' })).toEqual({ content: '{"rows_changed":1}' });
    expect(await run.call('add', { value_1: 99, value_2: 'Kiel' })).toMatchObject({ isError: true });
    expect(await run.call('shop_sql', { sql: 'DELETE FROM voyages' })).toMatchObject({ isError: true });
    const [rows] = await owner.query('SELECT ship, port FROM shop.voyages');
    expect(rows).toEqual([{ ship: 1, port: 'Oslo' }]);
  });
});
