import { expect, it } from '@jest/globals';
import { DATASTORES } from './datastores-table.js';
import { DOCUMENTS } from './documents-table.js';
import { TABLES, VERSION } from './tables.js';

const MADE = {
  datastores: 'id text, project text, name text, type text, created_at bigint',
  documents:
    'id text, datastore text, project text, filename text, bytes bigint, upload text, file text, status text,' +
    ' failure_code text?, failure_reason text?, pages integer?, warnings jsonb?, created_at bigint, indexed_at bigint?',
};

/** What a service of this version finds, tables that an earlier one of it made, too. */
it('the tables of version 2 have these columns: whoever changes them raises the version', () => {
  const columns = ({ columns }: Pick<typeof DOCUMENTS, 'columns'>): string =>
    columns.map(({ name, type, isNullable }) => `${name} ${type}${isNullable ? '?' : ''}`).join(', ');
  expect(VERSION).toBe(2);
  expect({ datastores: columns(DATASTORES), documents: columns(DOCUMENTS) }).toEqual(MADE);
  for (const name of ['datastores', 'documents'])
    expect(
      TABLES.filter((statement) => statement.includes(`CREATE TABLE annals_knowledge.${name} (`)),
    ).toHaveLength(1);
});
