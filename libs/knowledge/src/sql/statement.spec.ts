import { describe, expect, test } from '@jest/globals';
import { outsideFunctionIn } from './outside-functions.js';
import { enclosureFault, prepare } from './statement.js';

describe('placeholders', () => {
  test.each([
    ['WHERE a = ? AND b IN (?, ?)', 'WHERE a = $1 AND b IN ($2, $3)'],
    [`WHERE a = '?' AND "b?" = E'\\'?' AND c = ?`, `WHERE a = '?' AND "b?" = E'\\'?' AND c = $1`],
    ['-- ?\nSELECT ? /* ? /* ? */ ? */', '-- ?\nSELECT $1 /* ? /* ? */ ? */'],
    ['SELECT $tag$ ? $tag$, $$?$$, ?', 'SELECT $tag$ ? $tag$, $$?$$, $1'],
    [
      `WHERE data ? 'key' AND data ?| array[?] AND data->'x' ?& ?`,
      `WHERE data ? 'key' AND data ?| array[$1] AND data->'x' ?& $2`,
    ],
    [`WHERE (a) ? ? AND b LIKE ? || '%'`, `WHERE (a) ? $1 AND b LIKE $2 || '%'`],
    ['LIMIT ? OFFSET ?', 'LIMIT $1 OFFSET $2'],
    ['CASE WHEN ? THEN ? ELSE ? END', 'CASE WHEN $1 THEN $2 ELSE $3 END'],
    ['BETWEEN ? AND ?::int', 'BETWEEN $1 AND $2::int'],
    [`U&'?' = ?`, `U&'?' = $1`],
  ])('PostgreSQL: %s', (query, sql) => {
    expect(prepare(query, 'postgres').sql).toBe(sql);
  });

  test.each([
    ['WHERE a = ? # ?\n AND b = ?', 2],
    [`WHERE a = '\\'?' AND b = "?" AND \`c?\` = ? -- ?`, 1],
    ['SELECT 5--?', 1],
    ['/* ? */ SELECT ?', 1],
  ])('MySQL: %s', (query, count) => {
    const prepared = prepare(query, 'mysql');
    expect([prepared.sql, prepared.contexts.length]).toEqual([query, count]);
  });

  test('a place is told by what stands before it', () => {
    expect(prepare('SELECT *\nFROM ships /* all */ WHERE name = ? AND built > ?', 'mysql').contexts).toEqual(
      ['SELECT * FROM ships WHERE name =', 'SELECT * FROM ships WHERE name = ? AND built >'].map((text) =>
        text.slice(-40),
      ),
    );
  });
});

describe('a statement in parentheses', () => {
  test.each(['SELECT 1', 'SELECT (1);', "SELECT ')' -- )", 'SELECT 1 # )'])('%s stays in them', (sql) => {
    expect(enclosureFault(sql)).toBeNull();
  });

  test.each([
    'SELECT 1) x -- ',
    'SELECT (1',
    'SELECT 1; SELECT 2',
    'SELECT 1 /*',
    "SELECT 'a",
    'SELECT /*!1*/',
    'SELECT /*M!1*/',
    "SELECT 'a\\'",
  ])('%s does not', (sql) => {
    expect(enclosureFault(sql)).toEqual(expect.any(String));
  });
});

test.each([
  ['SELECT dblink_exec (1)', 'dblink_exec'],
  ['SELECT "dblink"/**/(1)', 'dblink'],
  ['SELECT U&"a"', 'U&"a"'],
  [`SELECT 'dblink(1)', dblink FROM t`, null],
])('functions that reach outside: %s', (sql, name) => {
  expect(outsideFunctionIn(sql, 'postgres')).toBe(name);
});
