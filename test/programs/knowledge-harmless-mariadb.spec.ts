import { mkdtempSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { readStatement } from '../../libs/knowledge/src/mysql/read-statement.js';
import { type Dialect, hostileSql } from '../support/hostile-sql.js';
import { Mariadb, hasMariadb } from '../support/knowledge-mariadb.js';

const SECRET = 'only-in-the-planted-file';
const RUNS = 1_000;

const TABLES = `
  CREATE DATABASE shop CHARACTER SET utf8mb4; USE shop;
  CREATE TABLE marks (what text) ENGINE=MyISAM;
  CREATE TABLE ships (id integer PRIMARY KEY, name varchar(50));
  INSERT INTO ships VALUES (1, 'Vega'), (2, 'Lyra');
  CREATE SEQUENCE numbers;
  CREATE FUNCTION mark(what text) RETURNS text BEGIN INSERT INTO marks VALUES (what); RETURN what; END;
  CREATE FUNCTION \`count\`(what text) RETURNS text BEGIN INSERT INTO marks VALUES (what); RETURN what; END;
  CREATE FUNCTION \`lower\`(what text) RETURNS text BEGIN INSERT INTO marks VALUES (what); RETURN what; END;
  CREATE FUNCTION uuid_to_bin(what text) RETURNS text BEGIN INSERT INTO marks VALUES (what); RETURN what; END;
`;

const mysql = (file: string): Dialect => ({
  values: [
    '1',
    '2.5',
    "'a'",
    "'it''s'",
    `"it's"`,
    "'a\\'b'",
    "'a\\\\'",
    "'%\\_'",
    'NULL',
    'TRUE',
    'id',
    'name',
    '`name`',
    'ships.name',
    "x'41'",
    '0x41',
    "_utf8mb4'a'",
    "N'a'",
    '@@sql_mode',
    'CURRENT_DATE',
    'größe',
    'CASE WHEN 1 THEN 2 END',
    'INTERVAL 1 DAY + NOW()',
    "DATE '2020-01-01'",
    '-1',
  ],
  functions: [
    'LOWER',
    'UPPER',
    'COUNT',
    'COALESCE',
    'IF',
    'MAX',
    'CONCAT',
    'JSON_ARRAY',
    'HEX',
    '`count`',
    '`lower`',
    'shop.lower',
    'mark',
    'uuid_to_bin',
    'LOAD_FILE',
    'SLEEP',
    'EXISTS',
    'INSERT',
    'ANY',
    'VALUES',
  ],
  hostile: [
    `mark('x')`,
    `shop.mark('x')`,
    "`mark`('x')",
    "shop.`mark` ('x')",
    "mark/**/('x')",
    `LOAD_FILE('${file}')`,
    `load_file ('${file}')`,
    `NEXTVAL(numbers)`,
    'NEXT VALUE FOR numbers',
    'SETVAL(numbers, 9)',
    '@mark := 1',
    `GET_LOCK('mark', 0)`,
    `(SELECT 1 INTO @mark)`,
    '(SELECT id FROM ships LIMIT 1 FOR UPDATE)',
    `{fn mark('x')}`,
    `/*!mark('x')*/`,
    `/*!50000 mark('x')*/`,
    `/*M!mark('x')*/`,
    "count ('x')",
    "lower ('x')",
    `uuid_to_bin('x')`,
    'LAST_INSERT_ID(77)',
    "(WITH a AS (SELECT 1) SELECT mark('with') FROM a)",
  ],
  edges: [
    "'",
    "''",
    '"',
    '`',
    '/*',
    '*/',
    '/*!',
    '/*+',
    '/*/',
    '#',
    '-- ',
    '--',
    '--\u0085',
    '-- \u2028',
    '--\t',
    '--\u0001',
    "'\\'",
    "'\\\\'",
    '"\'"',
    "'\n'",
    '\\',
    "N'",
    "x'",
    '\0',
    'é',
    ';',
    '\u00a0',
    "'a' '",
    '-- \r',
    '#\r',
    '/*!99999 ',
    '``',
  ],
  operators: [
    '+',
    '||',
    '=',
    '<=>',
    'AND',
    'LIKE',
    '->',
    '-',
    '--',
    '*',
    '/',
    'IN',
    'COLLATE',
    ':=',
    '.',
    '%',
    'DIV',
    'XOR',
  ],
  suffixes: [
    '',
    ' IS NULL',
    '.mark',
    " ESCAPE '!'",
    ' AS mark',
    ' COLLATE utf8mb4_bin',
    '(1)',
    " ('x')",
    '.lower(1)',
  ],
  sources: [
    'ships',
    'ships AS s (id, mark)',
    'shop.ships',
    "(SELECT mark('x') AS name) AS ships",
    "(SELECT 'a' AS name, 1 AS id) ships",
    'seq_1_to_3 AS ships',
    'numbers',
    'ships PROCEDURE ANALYSE()',
    "JSON_TABLE('[1]', '$[*]' COLUMNS (id int PATH '$')) ships",
    'ships PARTITION (p0)',
    'ships USE INDEX (PRIMARY)',
    'information_schema.tables',
  ],
  tails: [
    'FOR UPDATE',
    'LOCK IN SHARE MODE',
    'WHERE id = 1',
    "WHERE mark('w') IS NOT NULL",
    'ORDER BY 1',
    "ORDER BY mark('o')",
    `INTO OUTFILE '${file}.out'`,
    `INTO DUMPFILE '${file}.out'`,
    'INTO @mark',
    "; INSERT INTO marks VALUES ('second')",
    ';',
    'UNION ALL SELECT NULL',
    'GROUP BY 1',
    'LIMIT 1 OFFSET 0',
    "UNION SELECT mark('u')",
    "PROCEDURE ANALYSE(mark('p'))",
  ],
});

(hasMariadb() ? describe : describe.skip)(
  'a statement that reads, on a MariaDB where everything is allowed',
  () => {
    // The server runs as another user, who must be able to read it.
    const folder = mkdtempSync(join(tmpdir(), 'annals-reads-mariadb-'));
    const file = join(folder, 'planted');
    let server: Mariadb;
    let root: Connection;
    let other: Connection;

    beforeAll(async () => {
      chmodSync(folder, 0o777);
      writeFileSync(file, SECRET, { mode: 0o644 });
      server = await Mariadb.start();
      root = await server.connect();
      await root.query(`${TABLES} SET SESSION max_statement_time = 2`);
      other = await server.connect('shop');
    });
    afterAll(async () => {
      await Promise.all([root.end(), other.end()]);
      await server.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    });

    /** Everything that a statement could leave, seen from its own session and from another. */
    const state = async (): Promise<unknown> => {
      const [inside] = await root.query(
        `SELECT @mark AS variable, LAST_INSERT_ID() AS id, IS_USED_LOCK('mark') AS held, @@sql_mode AS mode,
        (SELECT trx_tables_locked + trx_rows_locked + trx_rows_modified FROM information_schema.innodb_trx
          WHERE trx_mysql_thread_id = CONNECTION_ID()) AS locked`,
      );
      const [outside] = await other.query(
        `SELECT (SELECT count(*) FROM marks) AS marks, (SELECT next_not_cached_value FROM numbers) AS number,
        (SELECT count(*) FROM information_schema.tables WHERE table_schema = 'shop') AS tables`,
      );
      return JSON.parse(JSON.stringify([inside, outside]));
    };

    test('changes nothing and reads no file', async () => {
      let ran = 0;
      for (const mode of [
        'STRICT_TRANS_TABLES',
        'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,IGNORE_SPACE',
        'PIPES_AS_CONCAT',
      ]) {
        await root.query(`SET SESSION sql_mode = '${mode}'`);
        await fc.assert(
          fc.asyncProperty(hostileSql(mysql(file)), async (text) => {
            const sql = judged(text);
            if (sql === null) return;
            await root.query('START TRANSACTION');
            try {
              const before = await state();
              const found = await root.query<RowDataPacket[]>(sql).catch(() => null);
              if (found !== null) ran += 1;
              expect(JSON.stringify(found?.[0] ?? [])).not.toContain(SECRET);
              expect(await state()).toEqual(before);
            } finally {
              await root.query('ROLLBACK');
            }
          }),
          { numRuns: Math.floor(RUNS / 3) },
        );
      }
      // It lets enough through for this to say something.
      expect(ran).toBeGreaterThan(RUNS / 20);
    });
  },
);

/** The statement as it would be sent, or null. Whether a name is one of the database's own is asked elsewhere. */
function judged(text: string): string | null {
  try {
    const { sql, placeholders, called } = readStatement(text);
    return placeholders > 0 || called.includes('uuid_to_bin') ? null : sql;
  } catch {
    return null;
  }
}
