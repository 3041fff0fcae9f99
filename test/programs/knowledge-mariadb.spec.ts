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
  CREATE FUNCTION uuid_to_bin(id text) RETURNS integer BEGIN DELETE FROM old_ships; RETURN 1; END;
  CREATE SEQUENCE numbers;
  CREATE USER reader IDENTIFIED BY 'only reads';
  GRANT SELECT, EXECUTE ON shop.* TO reader;
  GRANT INSERT ON shop.numbers TO reader;
  CREATE USER filer IDENTIFIED BY 'only reads';
  GRANT FILE ON *.* TO filer;
  GRANT SELECT ON shop.* TO filer;
  CREATE ROLE files;
  GRANT FILE ON *.* TO files;
  CREATE USER nested IDENTIFIED BY 'only reads';
  GRANT files TO nested;
  GRANT SELECT ON shop.* TO nested;
  SET DEFAULT ROLE files FOR nested;
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
    const answer = await make(`${scheme}://reader:only%20reads@127.0.0.1:${server.port}/shop`, more);
    return String(answer.body['datastore_id']);
  };
  const make = (connectionString: string, more: object = {}) =>
    client.ask('POST', '/create-datastore', {
      name: 'shop',
      type: 'database',
      metadata: { connectionString, ...more },
    });

  beforeAll(async () => {
    [house, server] = await Promise.all([KnowledgeHouse.open({ egressAllow: '127.0.0.1' }), Mariadb.start()]);
    owner = await server.connect();
    await owner.query(TABLES);
    shop = await create('mariadb');
  });
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
    [
      'a file, behind what only the server takes for a comment',
      `SELECT 1 --\u0085 \n, LOAD_FILE('/etc/passwd')`,
    ],
    ['a function of the database, with its schema', 'SELECT shop.sink()'],
    ['a function of the database, with a blank before its parenthesis', 'SELECT sink ()'],
    ['a function of the database that elsewhere is the server’s own', `SELECT uuid_to_bin('a')`],
    ['the next value of a sequence', 'SELECT NEXT VALUE FOR numbers'],
    ['a variable', 'SELECT @a := 1'],
    ['a variable that is set from a row', 'SELECT id INTO @a FROM ships LIMIT 1'],
    ['a lock', 'SELECT * FROM ships FOR UPDATE'],
    ['a shared lock', 'SELECT * FROM ships LOCK IN SHARE MODE'],
    ['a named lock', `SELECT GET_LOCK('a', 1)`],
    ['a pause', 'SELECT SLEEP(1)'],
    ['a deletion behind WITH', 'WITH a AS (SELECT 1) DELETE FROM ships'],
    ['a change in a string that does not end there', `SELECT 'a\\', LOAD_FILE('/etc/passwd'), 'b'`],
    ['an escape of ODBC', `SELECT {fn LOAD_FILE('/etc/passwd')}`],
    ['a procedure of the server', 'SELECT * FROM ships PROCEDURE ANALYSE()'],
    ['a handler', 'HANDLER ships OPEN'],
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

  test('a role that reaches files of the server is refused where nothing may write', async () => {
    const as = (account: string): string => `mysql://${account}@127.0.0.1:${server.port}/shop`;
    for (const account of ['root', 'filer:only%20reads', 'nested:only%20reads']) {
      const { status, body } = await make(as(account));
      expect(status).toBe(422);
      expect(body['detail']).toMatch(
        /^metadata\.connectionString: the account has the privilege (FILE|ALL PRIVILEGES) on/,
      );
      expect((await make(as(account), { readOnly: false })).status).toBe(201);
    }
    const run = await open();
    await owner.query('GRANT FILE ON *.* TO reader');
    for (const call of [run.call('shop_sql', { sql: 'SELECT 1' }), run.call('shop_schema', {})])
      expect(await call).toEqual({ content: expect.stringContaining('privilege FILE'), isError: true });
    await owner.query('REVOKE FILE ON *.* FROM reader');
    expect((await run.result('shop_sql', { sql: 'SELECT 1' })).rows).toEqual([[1]]);
  });

  test.each<[string, unknown[]]>([
    ['SELECT COUNT (*), MAX(id) FROM ships', ['3', 3]],
    [
      `SELECT 'it''s', "it's", 'a\\'b', 'a\\\\b', 'a\\nb', n'x', x'41' -- why?`,
      ["it's", "it's", "a'b", 'a\\b', 'a\nb', 'x', '0x41'],
    ],
    [`SELECT name FROM ships WHERE name LIKE 'Ve\\_a' OR name LIKE 'V_g%' # or so`, ['Vega']],
    ['WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<3) SELECT SUM(i) FROM n', ['6']],
    ['SELECT 5--3, 7/*two*/-1, -(2), 1.5e0, .5 = 1/2, 0xFF = 255', [8, 6, -2, 1.5, 1, 1]],
    [
      'SELECT s.`name` AS größe, s.id*2 FROM shop.ships AS s WHERE s.id IN (1,9) AND s.id BETWEEN 0 AND 5',
      ['Vega', '2'],
    ],
    [
      `SELECT CAST('12' AS DECIMAL(10,1)), CONVERT('7', SIGNED), IF(1 <=> NULL, 'a', 'b'), REPLACE('ab', 'a', 'x')`,
      ['12.0', 7, 'b', 'xb'],
    ],
    [
      `SELECT JSON_EXTRACT('{"a": 1}', '$.a'), DATE_ADD('2020-01-31', INTERVAL 1 MONTH), EXTRACT(YEAR FROM built) FROM ships WHERE id = 1`,
      [1, '2020-02-29', 1998],
    ],
    [
      `SELECT GROUP_CONCAT(id ORDER BY id DESC SEPARATOR '-'), ROW_NUMBER() OVER (ORDER BY 1) FROM ships`,
      ['3-2-1', '1'],
    ],
    [
      'SELECT id FROM (SELECT id FROM ships UNION SELECT 9) AS t WHERE id = ANY (SELECT 9) ORDER BY id LIMIT 1',
      [9],
    ],
    ['(SELECT 1) UNION ALL (SELECT 2) ORDER BY 1', [1]],
    ['SELECT @@session.tx_read_only, DATABASE(), CURRENT_USER', ['0', 'shop', 'reader@%']],
  ])('%s is read', async (sql, row) => {
    const run = await open([{ name: 'action', query: sql }]);
    for (const [name, input] of [
      ['shop_sql', { sql }],
      ['action', {}],
    ] as const)
      expect((await run.result(name, input)).rows[0]).toEqual(row);
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
    const sql = 'SELECT count(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b WHERE a.seq + b.seq < 0';
    const { content } = await (await open()).call('shop_sql', { sql });
    expect(content).toMatch(/took longer than 15 s/);
  });

  test('with readOnly false the queries of the request write, the agent’s own SQL does not', async () => {
    const { body } = await make(`mysql://root@127.0.0.1:${server.port}/shop`, { readOnly: false });
    const writable = String(body['datastore_id']);
    const run = await open([{ name: 'add', query: 'INSERT INTO voyages VALUES (?, ?)' }], writable);
    expect(await run.call('add', { value_1: 1, value_2: 'Oslo' })).toEqual({ content: '{"rows_changed":1}' });
    expect(await run.call('add', { value_1: 99, value_2: 'Kiel' })).toMatchObject({ isError: true });
    expect(await run.call('shop_sql', { sql: 'DELETE FROM voyages' })).toMatchObject({ isError: true });
    const [rows] = await owner.query('SELECT ship, port FROM shop.voyages');
    expect(rows).toEqual([{ ship: 1, port: 'Oslo' }]);
  });
});
