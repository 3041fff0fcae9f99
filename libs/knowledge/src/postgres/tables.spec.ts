import { expect, it } from '@jest/globals';
import { CHECKPOINTS } from '#postgres';
import { DATASTORES } from './datastores-table.js';
import { DOCUMENTS } from './documents-table.js';
import { TABLES, VERSION } from './tables.js';

const MADE = {
  checkpoints: 'name text, log_id text, position bigint',
  datastores: 'id text, project text, name text, type text, created_at bigint',
  documents:
    'id text, datastore text, project text, filename text, bytes bigint, upload text, file text, status text,' +
    ' failure_code text?, failure_reason text?, pages integer?, warnings jsonb?, created_at bigint, indexed_at bigint?',
};

/** What a service of this version finds, tables that an earlier one of it made, too. */
it('the tables of version 3 have these columns: whoever changes them raises the version', () => {
  const columns = ({ columns }: Pick<typeof DOCUMENTS, 'columns'>): string =>
    columns.map(({ name, type, isNullable }) => `${name} ${type}${isNullable ? '?' : ''}`).join(', ');
  expect(VERSION).toBe(3);
  const made = [CHECKPOINTS, DATASTORES, DOCUMENTS].map((table) => [table.name, columns(table)]);
  expect(Object.fromEntries(made)).toEqual(MADE);
  for (const name of Object.keys(MADE))
    expect(
      TABLES.filter((statement) => statement.includes(`CREATE TABLE annals_knowledge.${name} (`)),
    ).toHaveLength(1);
});
