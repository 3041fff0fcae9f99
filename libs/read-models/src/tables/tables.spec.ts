import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CHECKPOINTS, type Fields, type Table } from '#postgres';
import { SCHEMA } from '../postgres/schema.js';
import { ACTIONS } from './actions.js';
import { API_KEYS } from './api-keys.js';
import { CALLBACKS } from './callbacks.js';
import { MESSAGES } from './messages.js';
import { PARKED_STREAMS } from './parked-streams.js';
import { RUNS } from './runs.js';
import { SESSIONS } from './sessions.js';
import { TASKS } from './tasks.js';
import { type Fixture, openFixture } from '../../../../test/support/read-models-fixture.js';

let fixture: Fixture;
beforeAll(async () => void (fixture = await openFixture()));
afterAll(() => fixture.close());

const TABLES: readonly Table<Fields>[] = [
  ACTIONS,
  API_KEYS,
  CALLBACKS,
  CHECKPOINTS,
  MESSAGES,
  PARKED_STREAMS,
  RUNS,
  SESSIONS,
  TASKS,
];
/** Of rows that older versions wrote; none is written any more. */
const OLD_COLUMNS: Readonly<Record<string, readonly string[]>> = { messages: ['type', 'is_file'] };

const madeOf = async ({ name }: Table<Fields>): Promise<unknown[]> => {
  const { rows } = await fixture.models.database.query({
    text: `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type, NOT a.attnotnull AS "isNullable",
        coalesce(a.attnum = ANY (i.indkey), false) AS "isKey"
      FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
      WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL ($2)
      ORDER BY a.attname`,
    values: [`${SCHEMA}.${name}`, OLD_COLUMNS[name] ?? []],
  });
  return rows;
};

describe('the description of a table', () => {
  it.each(TABLES)('is what the migrations make: $name', async (table) => {
    const described = table.columns
      .map(({ name, type, isNullable, isKey }) => ({ name, type, isNullable, isKey }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    expect(described).toEqual(await madeOf(table));
  });
});
