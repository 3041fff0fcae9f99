import { describe, expect, test } from '@jest/globals';
import { MAX_PLACEHOLDERS, hasTooManyPlaceholders, prepare, withoutEnd } from './statement.js';

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

describe.each(['postgres', 'mysql'] as const)('many placeholders on %s', (kind) => {
  const list = (count: number): string => Array(count).fill('?').join(', ');

  test.each([
    ['as many as there may be', `SELECT ${list(MAX_PLACEHOLDERS)}`, false],
    ['one more', `SELECT ${list(MAX_PLACEHOLDERS + 1)}`, true],
    ['marks in strings and comments', `SELECT '${list(500)}' /* ${list(500)} */, "${list(500)}", ?`, false],
    ['a placeholder too many behind them', `SELECT '${list(500)}', ${list(MAX_PLACEHOLDERS + 1)}`, true],
  ])('%s', (_, query, isTooMany) => {
    expect(hasTooManyPlaceholders(query, kind)).toBe(isTooMany);
  });

  test('are all prepared, with what stands before each: a log of an earlier version may hold them', () => {
    const names = Array.from({ length: 100_000 }, (_, n) => `column_${n}`);
    const query = `SELECT 1 WHERE ${names.map((name) => `${name} = ?`).join(' AND\n')}`;
    const { contexts, sql } = prepare(query, kind);
    expect(contexts).toHaveLength(100_000);
    expect(contexts.at(-1)).toBe('umn_99997 = ? AND column_99998 = ? AND column_99999 ='.slice(-40));
    expect(sql.endsWith(kind === 'postgres' ? '= $100000' : '= ?')).toBe(true);
  });
});

test('the end of a statement is without semicolons and blanks', () => {
  expect(withoutEnd('SELECT 1 ;\n; ')).toBe('SELECT 1');
  expect(withoutEnd(' ;; ')).toBe('');
});
