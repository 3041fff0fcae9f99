import { describe, expect, test } from '@jest/globals';
import { readStatement } from './read-statement.js';

describe('a statement for PostgreSQL', () => {
  test('tells what the database has to be asked about', async () => {
    const names = await readStatement(
      `SELECT s.mark, (s).name, f(1), pg_catalog.lower('a'), a <<>> b, x::mood FROM s JOIN t USING (id) WHERE a BETWEEN 1 AND 2`,
    );
    expect([...names.functions]).toEqual(['f']);
    expect([...names.attributes].sort()).toEqual(['mark', 'name']);
    expect([...names.operators].sort()).toEqual(['<', '<<>>', '<=', '=', '>', '>=']);
    expect([...names.types]).toEqual(['mood']);
  });

  test.each([
    ['SELECT 1; SELECT 2', 'one statement at a time'],
    ['DELETE FROM t', 'only a SELECT'],
    ['EXPLAIN ANALYZE DELETE FROM t', 'only a SELECT'],
    ['SHOW work_mem', 'only a SELECT'],
    ['SET work_mem = 1', 'only a SELECT'],
    ['CALL f()', 'only a SELECT'],
    ['SELECT 1 INTO t', 'INTO may not be used'],
    ['SELECT 1 FROM t FOR NO KEY UPDATE', 'FOR UPDATE or FOR SHARE may not be used'],
    ['WITH a AS (DELETE FROM t RETURNING 1) SELECT 1', 'DELETE may not be used'],
    [
      'SELECT * FROM (WITH a AS (UPDATE t SET a = 1 RETURNING 1) SELECT * FROM a) b',
      'UPDATE may not be used',
    ],
    [
      'WITH a AS (MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE RETURNING 1) SELECT 1',
      'MERGE may not be used',
    ],
    ["SELECT xmlparse(DOCUMENT '<a/>')", 'XML may not be used'],
    ["SELECT * FROM xmltable('/a' PASSING x COLUMNS a text)", 'XMLTABLE may not be used'],
    ['SELECT public.lower(1)', 'public.lower may not be called'],
    ['SELECT pg_catalog.pg_read_file(1)', 'pg_catalog.pg_read_file may not be called'],
    ['SELECT db.pg_catalog.lower(1)', 'may not be called'],
    ['SELECT a OPERATOR(public.+) b', 'the operator public.+ may not be used'],
    ['SELECT 1 ORDER BY 1 USING OPERATOR(public.<)', 'the operator public.< may not be used'],
    ['SELECT * FROM t TABLESAMPLE mine(1)', 'mine may not be called'],
    ['SELECT * FROM pg_shadow', 'pg_shadow may not be read'],
    ['SELECT * FROM pg_catalog.pg_file_settings', 'pg_file_settings may not be read'],
    ['SELECT * FROM pg_hba_file_rules', 'pg_hba_file_rules may not be read'],
    ['SELECT * FROM U&"pg_\\0061uthid"', 'pg_authid may not be read'],
    ['SELECT é$$ , $$', 'only a SELECT|syntax|unterminated'],
    ['SELECT )', 'syntax error at or near ")" at character 8 (only what PostgreSQL 18'],
  ])('%j is refused: %s', async (sql, reason) => {
    await expect(readStatement(sql)).rejects.toThrow(reason.includes('|') ? new RegExp(reason) : reason);
  });

  test('one that is too deep is refused, and the next is read', async () => {
    for (const sql of [
      `SELECT ${'(SELECT '.repeat(3_000)}1${')'.repeat(3_000)}`,
      `SELECT ${'1+'.repeat(12_000)}1`,
      `SELECT ${'ARRAY['.repeat(3_500)}`,
      `SELECT ${'('.repeat(24_000)}`,
      `SELECT ${'NOT '.repeat(6_000)}true`,
      `SELECT 1${' UNION SELECT 1'.repeat(1_600)}`,
    ]) {
      await readStatement(sql).catch((error: unknown) =>
        expect(error).toMatchObject({ name: 'DatabaseRefusal' }),
      );
      expect([...(await readStatement('SELECT lower(a)')).functions]).toEqual(['lower']);
    }
    await expect(readStatement(`SELECT '${'x'.repeat(30_000)}'`)).rejects.toThrow('too long');
  });
});
