import { describe, expect, test } from '@jest/globals';
import { readStatement } from './read-statement.js';

describe('a statement for MySQL', () => {
  test.each([
    ['SELECT a FROM t;', 'SELECT a FROM t'],
    ['SELECT a -- why?\n, b /* and */ FROM t # end', 'SELECT a , b FROM t'],
    ["SELECT 'it''s', \"it's\", 'it\\'s'", "SELECT 'it''s', 'it''s', 'it''s'"],
    ["SELECT 'a\\\\b', '50\\%', 'a\\nb'", "SELECT _utf8mb4 X'615c62', _utf8mb4 X'35305c25', 'a\nb'"],
    ['SELECT COUNT (*), MAX/**/(id)', 'SELECT COUNT(*), MAX(id)'],
    ['SELECT 5--3, 4/ *a', 'SELECT 5- -3, 4/ *a'],
    ['SELECT größe, `ä``b`', 'SELECT `größe`, `ä``b`'],
    ["SELECT N'a', x'41', _latin1'b'", "SELECT 'a', x'41', _latin1 'b'"],
    ['SELECT a.b, .5, 1.5e3, 0xFF, c->>?', 'SELECT a.b, .5, 1.5e3, 0xFF, c->>?'],
    [
      'SELECT CAST(a AS CHAR(3)) FROM (SELECT 1) AS t (a)',
      'SELECT CAST(a AS CHAR(3)) FROM (SELECT 1) AS t(a)',
    ],
    ['WITH x (a, b) AS (SELECT 1, 2) SELECT a FROM x', 'WITH x (a, b) AS (SELECT 1, 2) SELECT a FROM x'],
    [
      'SELECT INSERT(a, 1, 2, b), REPLACE(a, b, c), t.update FROM t',
      'SELECT INSERT(a, 1, 2, b), REPLACE(a, b, c), t.update FROM t',
    ],
  ])('%j is sent as %j', (text, sql) => {
    expect(readStatement(text).sql.replaceAll(' (', '(')).toBe(sql.replaceAll(' (', '('));
  });

  test.each([
    ['SELECT 1; SELECT 2', 'one statement'],
    ['DELETE FROM t', 'only a SELECT'],
    ['', 'only a SELECT'],
    ['((SHOW TABLES))', 'only a SELECT'],
    ['SELECT 1) x', 'closed that was not opened'],
    ['SELECT (1', 'not closed'],
    ["SELECT 'a", 'a string is not closed'],
    ["SELECT 'a\\'", 'a string is not closed'],
    ['SELECT `a', 'backticks is not closed'],
    ['SELECT 1 /* ', 'a comment is not closed'],
    ['SELECT /*!1*/', 'comments with code'],
    ['SELECT /*M!1*/', 'comments with code'],
    ['SELECT /*!50000 1*/', 'comments with code'],
    ['SELECT 1 --\u0085 \n, 2', 'U+0085'],
    ['SELECT\u00a01', 'U+00A0'],
    ['SELECT 1\u2028, 2', 'U+2028'],
    ['SELECT \\N', '\\ may stand in a string only'],
    ['SELECT @a', '@ may stand'],
    ['SELECT @a:=1', '@ may stand'],
    ['SELECT {fn now()}', '{ may stand'],
    ['SELECT load_file(1)', 'load_file may not be called'],
    ['SELECT `load_file` (1)', 'may not be called'],
    ['SELECT `count`(1)', 'may not be called'],
    ['SELECT lоwer(1)', 'may not be called'],
    ['SELECT shop.count(1)', 'may not be called'],
    ['SELECT shop . count (1)', 'may not be called'],
    ['SELECT a.b.c(1)', 'may not be called'],
    ['SELECT sleep/* */(1)', 'sleep may not be called'],
    ['SELECT any(1)', 'any may not be called'],
    ['SELECT sink(a) FROM t', 'sink may not be called'],
    ['SELECT sink(a, b) AS c', 'sink may not be called'],
    ["SELECT 1 INTO OUTFILE 'a'", 'INTO may not be used'],
    ['SELECT 1 FROM t FOR UPDATE', 'FOR may not be used'],
    ['SELECT 1 FROM t FOR SHARE', 'FOR may not be used'],
    ['SELECT 1 FROM t LOCK IN SHARE MODE', 'LOCK may not be used'],
    ['SELECT NEXT VALUE FOR s', 'VALUE may not be used'],
    ['WITH a AS (SELECT 1) UPDATE t SET a = 1', 'UPDATE may not be used'],
    ['SELECT 1 PROCEDURE analyse()', 'PROCEDURE may not be used'],
    ['SELECT 1a', '1 may stand'],
    ["SELECT x'4g'", 'must hold digits'],
  ])('%j is refused: %s', (text, reason) => {
    expect(() => readStatement(text)).toThrow(reason);
  });

  test('a long one is read to its end or refused', () => {
    for (const piece of [
      '(',
      ')',
      ';',
      "'",
      '"',
      '`',
      '?',
      'a.',
      '/*',
      '-- \n',
      '#\n',
      '\\',
      ' ',
      '1',
      'a(',
      'a,',
    ]) {
      try {
        readStatement(`SELECT ${piece.repeat(24_000 / piece.length)}!`);
      } catch (error) {
        expect(error).toMatchObject({ name: 'DatabaseRefusal' });
      }
    }
    expect(() => readStatement('x'.repeat(100_000))).toThrow('too long');
  });
});
