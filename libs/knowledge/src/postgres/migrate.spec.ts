import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SilentLogger } from '#platform';
import type { KnowledgeDatabase } from '../ports.js';
import { migrate } from './migrate.js';
import { SCHEMA } from './tables.js';
import { type Fixture, openFixture } from '../../../../test/support/read-models-fixture.js';

let fixture: Fixture;
let database: KnowledgeDatabase;
beforeAll(async () => {
  fixture = await openFixture();
  database = fixture.models.database;
});
afterAll(() => fixture.close());

const ask = async (text: string): Promise<unknown[]> => (await database.query({ text })).rows;
const INDEXES = `SELECT pg_get_indexdef(indexrelid) AS made FROM pg_index
  WHERE indrelid IN ('${SCHEMA}.lexemes'::regclass, '${SCHEMA}.texts'::regclass) ORDER BY 1`;
const COLUMNS = `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
  WHERE table_schema = '${SCHEMA}' ORDER BY 1, 2`;

/** As version 2 made it. */
async function makeVersion2(): Promise<void> {
  await migrate(database, new SilentLogger());
  for (const statement of [
    `DROP INDEX ${SCHEMA}.texts_upload_idx`,
    `ALTER TABLE ${SCHEMA}.texts DROP COLUMN counted, DROP COLUMN is_gone`,
    `ALTER TABLE ${SCHEMA}.lexemes RESET (fillfactor)`,
    `ALTER INDEX ${SCHEMA}.lexemes_lexeme_idx RESET (gin_pending_list_limit)`,
    `ALTER INDEX ${SCHEMA}.lexemes_lexeme_idx SET (fastupdate = off)`,
    `COMMENT ON SCHEMA ${SCHEMA} IS 'version 2'`,
  ])
    await ask(statement);
}

const addText = (upload: string, texts: readonly string[], isRead = true) =>
  database.transaction(async (client) => {
    await client.query(`INSERT INTO ${SCHEMA}.texts VALUES ($1, 'ds', 'me', now(), 1, $2)`, [
      upload,
      isRead ? texts.length : null,
    ]);
    for (const [ordinal, text] of texts.entries())
      await client.query(
        `INSERT INTO ${SCHEMA}.passages VALUES ($1, $2, null, 0, 1, 'simple', $3, to_tsvector('simple', $3))`,
        [upload, ordinal, text],
      );
    return true;
  });

describe('tables of version 2', () => {
  it('become those of this one, and only texts whose words are written otherwise now are read again', async () => {
    await migrate(database, new SilentLogger());
    const made = [await ask(INDEXES), await ask(COLUMNS)];
    await makeVersion2();
    await addText('plain', ['one', 'two']);
    await addText('composed', ['Größe', 'note¹']);
    await addText('letters and marks', ['one', 'Größe'.normalize('NFD')]);
    await addText('Chinese', ['退款']);
    await addText('half read', ['one'], false);
    await migrate(database, new SilentLogger());
    expect([await ask(INDEXES), await ask(COLUMNS)]).toEqual(made);
    expect(
      await ask(`SELECT upload, passages, counted, is_gone FROM ${SCHEMA}.texts ORDER BY upload COLLATE "C"`),
    ).toEqual([
      { upload: 'Chinese', passages: null, counted: 1, is_gone: true },
      { upload: 'composed', passages: 2, counted: 2, is_gone: false },
      { upload: 'half read', passages: null, counted: 0, is_gone: false },
      { upload: 'letters and marks', passages: null, counted: 2, is_gone: true },
      { upload: 'plain', passages: 2, counted: 2, is_gone: false },
    ]);
    expect(await migrate(database, new SilentLogger())).not.toBeNull();
    expect(await ask(`SELECT 1 FROM ${SCHEMA}.texts`)).toHaveLength(5);
  });

  it('of any other version are made anew', async () => {
    await ask(`COMMENT ON SCHEMA ${SCHEMA} IS 'version 1'`);
    await migrate(database, new SilentLogger());
    expect(await ask(`SELECT 1 FROM ${SCHEMA}.texts`)).toEqual([]);
  });
});
