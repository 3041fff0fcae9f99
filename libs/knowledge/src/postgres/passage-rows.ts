import type { PoolClient } from 'pg';
import type { Passage } from '../passage.js';
import type { KnowledgeDatabase } from '../ports.js';
import { SCHEMA, datastoreLexeme } from './tables.js';

/** How long a text is held without a word from its holder. */
const HELD_S = 30;

export interface UploadRef {
  readonly upload: string;
  readonly datastore: string;
}

/** Someone else reads the text, or it was deleted. */
export class TextLost extends Error {
  override readonly name = 'TextLost';
}

/** Passages of uploads, as they are written and removed. */
export class PassageRows {
  constructor(
    private readonly database: KnowledgeDatabase,
    /** Names this process among those that read texts. */
    private readonly holder: string,
  ) {}

  /**
   * Takes an upload to read its text; what an earlier reader left of it is removed. Returns how often that was done by
   * now. @throws TextLost where someone else has it
   */
  async hold({ upload, datastore }: UploadRef): Promise<number> {
    let attempts = 0;
    await this.database.transaction(async (client) => {
      const { rows } = await client.query<{ attempts: number }>(
        `INSERT INTO ${SCHEMA}.texts AS t (upload, datastore, holder, held_until, attempts)
         VALUES ($1, $2, $3, now() + $4 * interval '1 s', 1)
         ON CONFLICT (upload) DO UPDATE
           SET holder = $3, held_until = excluded.held_until, attempts = t.attempts + 1
         WHERE t.passages IS NULL AND (t.held_until < now() OR t.holder = $3)
         RETURNING attempts`,
        [upload, datastore, this.holder, HELD_S],
      );
      if (rows[0] === undefined) throw new TextLost('someone else reads the text');
      ({ attempts } = rows[0]);
      await client.query(`DELETE FROM ${SCHEMA}.passages WHERE upload = $1`, [upload]);
      return true;
    });
    return attempts;
  }

  /** @throws TextLost */
  async add(of: UploadRef, from: number, passages: readonly Passage[], language: string): Promise<void> {
    await this.database.transaction(async (client) => {
      await this.renew(client, of.upload);
      await client.query(INSERT_LANGUAGE, [of.datastore, language]);
      await client.query({
        name: 'annals_knowledge passages',
        text: INSERT,
        values: [
          of.upload,
          from,
          language,
          datastoreLexeme(of.datastore),
          passages.map((p) => p.page),
          passages.map((p) => p.position),
          passages.map((p) => p.heading),
          passages.map((p) => p.text),
        ],
      });
      return true;
    });
  }

  /** All passages are there. @throws TextLost */
  async complete({ upload, datastore }: UploadRef, passages: number): Promise<void> {
    await this.database.transaction(async (client) => {
      await this.renew(client, upload);
      await lockCounts(client, datastore);
      await client.query(COUNT_LEXEMES, [upload, datastore]);
      await client.query(`UPDATE ${SCHEMA}.texts SET passages = $2 WHERE upload = $1`, [upload, passages]);
      return true;
    });
  }

  /** Tells that the reading goes on. @throws TextLost */
  async keepHolding(upload: string): Promise<void> {
    await this.database.transaction(async (client) => {
      await this.renew(client, upload);
      return true;
    });
  }

  async remove(upload: string): Promise<void> {
    await this.database.transaction(async (client) => {
      await removeUpload(client, upload);
      return true;
    });
  }

  private async renew(client: PoolClient, upload: string): Promise<void> {
    const { rowCount } = await client.query(
      `UPDATE ${SCHEMA}.texts SET held_until = now() + $3 * interval '1 s'
       WHERE upload = $1 AND holder = $2 AND passages IS NULL`,
      [upload, this.holder, HELD_S],
    );
    if (rowCount === 0) throw new TextLost('the text is not wanted any more');
  }
}

/** With everything that was made of its text. */
export async function removeUpload(client: PoolClient, upload: string): Promise<void> {
  const { rows } = await client.query<{ datastore: string; passages: number | null }>(
    `DELETE FROM ${SCHEMA}.texts WHERE upload = $1 RETURNING datastore, passages`,
    [upload],
  );
  const [text] = rows;
  if (text !== undefined && text.passages !== null) {
    await lockCounts(client, text.datastore);
    await client.query(UNCOUNT_LEXEMES, [upload, text.datastore]);
    await client.query(FORGET_LEXEMES, [text.datastore]);
  }
  await client.query(`DELETE FROM ${SCHEMA}.passages WHERE upload = $1`, [upload]);
}

const INSERT_LANGUAGE = `
  INSERT INTO ${SCHEMA}.languages (datastore, language) VALUES ($1, $2::regconfig) ON CONFLICT DO NOTHING`;

/** A heading counts for more than the text below it. */
const INSERT = `
  INSERT INTO ${SCHEMA}.passages (upload, ordinal, page, position, words, language, text, lexemes)
  SELECT $1, $2 + n - 1, page, position, length(body), $3::regconfig, text,
         setweight(to_tsvector($3::regconfig, heading), 'A') || body || array_to_tsvector(ARRAY[$4])
  FROM unnest($5::int[], $6::int[], $7::text[], $8::text[])
         WITH ORDINALITY AS p (page, position, heading, text, n),
       to_tsvector($3::regconfig, text) AS body`;

const LEXEMES_OF = `
  SELECT u.lexeme, count(*) AS passages
  FROM ${SCHEMA}.passages p, unnest(p.lexemes) u
  WHERE p.upload = $1 AND left(u.lexeme, 1) <> '@'
  GROUP BY u.lexeme ORDER BY u.lexeme`;

const COUNT_LEXEMES = `
  INSERT INTO ${SCHEMA}.lexemes AS l (datastore, lexeme, passages)
  SELECT $2, lexeme, passages FROM (${LEXEMES_OF}) AS counted
  ON CONFLICT (datastore, lexeme) DO UPDATE SET passages = l.passages + excluded.passages`;

const UNCOUNT_LEXEMES = `
  UPDATE ${SCHEMA}.lexemes l SET passages = l.passages - counted.passages
  FROM (${LEXEMES_OF}) AS counted
  WHERE l.datastore = $2 AND l.lexeme = counted.lexeme`;

const FORGET_LEXEMES = `DELETE FROM ${SCHEMA}.lexemes WHERE datastore = $1 AND passages <= 0`;

/** Two that count in one datastore at the same time would wait for each other's rows. */
const lockCounts = (client: PoolClient, datastore: string) =>
  client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`${SCHEMA} ${datastore}`]);
