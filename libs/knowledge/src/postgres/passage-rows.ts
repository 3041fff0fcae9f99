import type { Passage } from '#extraction';
import { type TransactionClient, raw, sql, statement } from '#postgres';
import type { KnowledgeDatabase } from '../ports.js';
import { IN, SCHEMA, datastoreLexeme } from './tables.js';

/** Lease of a text: it is lost where its holder does not renew it for so long. */
const HELD_S = 30;

export interface UploadRef {
  readonly upload: string;
  readonly datastore: string;
}

/** The lease of a text is lost: another process reads it, or it was deleted. */
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
   * Takes an upload whose text is to be read when its turn comes; what an earlier reader left of it is removed.
   * @throws TextLost where someone else has it
   */
  async hold({ upload, datastore }: UploadRef): Promise<void> {
    await this.database.transaction(async (client) => {
      const { rowCount } = await client.query(HOLD({ upload, datastore, holder: this.holder }));
      if (rowCount === 0) throw new TextLost('someone else reads the text');
      await client.query(DELETE_PASSAGES(upload));
      return true;
    });
  }

  /**
   * The reading of what is held begins: it is counted, unless it is already, so that whatever becomes of this process and
   * of the database's the count stays. Returns the count. @throws TextLost
   */
  async begin(upload: string, { isCounted }: { readonly isCounted: boolean }): Promise<number> {
    let attempts = 0;
    await this.database.transaction(async (client) => {
      await client.query('SET LOCAL synchronous_commit = on');
      await this.renew(client, upload);
      const { rows } = await client.query<{ attempts: number }>(COUNT({ upload, isCounted }));
      ({ attempts } = rows[0]!);
      await client.query(DELETE_PASSAGES(upload));
      return true;
    });
    return attempts;
  }

  /** What is held is not read on, through no fault of its own. */
  async uncount(
    upload: string,
    how: { readonly isCounted: boolean; readonly isLetGo: boolean },
  ): Promise<void> {
    await this.database.query(UNCOUNT({ ...how, upload, holder: this.holder }));
  }

  /** @throws TextLost */
  async add(of: UploadRef, from: number, passages: readonly Passage[], language: string): Promise<void> {
    await this.database.transaction(async (client) => {
      await this.renew(client, of.upload);
      await client.query(INSERT_LANGUAGE({ datastore: of.datastore, language }));
      await client.query(INSERT({ ...of, from, passages, language }));
      return true;
    });
  }

  /** All passages are there. @throws TextLost */
  async complete({ upload, datastore }: UploadRef, passages: number): Promise<void> {
    await this.database.transaction(async (client) => {
      await this.renew(client, upload);
      await lockCounts(client, datastore);
      await client.query(COUNT_LEXEMES({ upload, datastore }));
      await client.query(COMPLETE({ upload, passages }));
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

  private async renew(client: TransactionClient, upload: string): Promise<void> {
    const { rowCount } = await client.query(RENEW({ upload, holder: this.holder }));
    if (rowCount === 0) throw new TextLost('the text is not wanted any more');
  }
}

interface Held {
  readonly upload: string;
  readonly holder: string;
}
const upload = (held: Held): string => held.upload;
const holder = (held: Held): string => held.holder;
const UNTIL = raw(`now() + ${HELD_S} * interval '1 s'`);

const HOLD = statement(sql<Held & UploadRef>`
  INSERT INTO ${IN}.texts AS t (upload, datastore, holder, held_until, attempts)
  VALUES (${upload}, ${({ datastore }) => datastore}, ${holder}, ${UNTIL}, 0)
  ON CONFLICT (upload) DO UPDATE SET holder = EXCLUDED.holder, held_until = EXCLUDED.held_until
  WHERE t.passages IS NULL AND (t.held_until < now() OR t.holder = EXCLUDED.holder)`);

const RENEW = statement(sql<Held>`
  UPDATE ${IN}.texts SET held_until = ${UNTIL}
  WHERE upload = ${upload} AND holder = ${holder} AND passages IS NULL`);

const UNCOUNT = statement(sql<Held & { readonly isCounted: boolean; readonly isLetGo: boolean }>`
  UPDATE ${IN}.texts SET attempts = greatest(attempts - ${({ isCounted }) => (isCounted ? 1 : 0)}, 0),
    held_until = CASE WHEN ${({ isLetGo }) => isLetGo} THEN '-infinity' ELSE held_until END
  WHERE upload = ${upload} AND holder = ${holder} AND passages IS NULL`);

const COUNT = statement(sql<{ readonly upload: string; readonly isCounted: boolean }>`
  UPDATE ${IN}.texts SET attempts = attempts + ${({ isCounted }) => (isCounted ? 0 : 1)}
  WHERE upload = ${(text) => text.upload} RETURNING attempts`);

const COMPLETE = statement(sql<{ readonly upload: string; readonly passages: number }>`
  UPDATE ${IN}.texts SET passages = ${({ passages }) => passages} WHERE upload = ${(text) => text.upload}`);

/** With everything that was made of its text. */
export async function removeUpload(client: TransactionClient, upload: string): Promise<void> {
  const { rows } = await client.query<{ datastore: string; passages: number | null }>(DELETE_TEXT(upload));
  const [text] = rows;
  if (text !== undefined && text.passages !== null) {
    await lockCounts(client, text.datastore);
    await client.query(UNCOUNT_LEXEMES({ upload, datastore: text.datastore }));
    await client.query(FORGET_LEXEMES(text.datastore));
  }
  await client.query(DELETE_PASSAGES(upload));
}

const DELETE_TEXT = statement(
  sql<string>`DELETE FROM ${IN}.texts WHERE upload = ${(id) => id} RETURNING datastore, passages`,
);
const DELETE_PASSAGES = statement(sql<string>`DELETE FROM ${IN}.passages WHERE upload = ${(id) => id}`);

const INSERT_LANGUAGE = statement(sql<Pick<Added, 'datastore' | 'language'>>`
  INSERT INTO ${IN}.languages (datastore, language)
  VALUES (${({ datastore }) => datastore}, ${(added) => added.language}::regconfig) ON CONFLICT DO NOTHING`);

interface Added extends UploadRef {
  /** Ordinal of the first one. */
  readonly from: number;
  readonly language: string;
  readonly passages: readonly Passage[];
}
const language = (added: Added): string => added.language;
const each =
  <P extends keyof Passage>(property: P) =>
  ({ passages }: Added): readonly Passage[P][] =>
    passages.map((passage) => passage[property]);

/** A heading counts for more than the text below it. */
const INSERT = statement(
  sql<Added>`
  INSERT INTO ${IN}.passages (upload, ordinal, page, position, words, language, text, lexemes)
  SELECT ${(added) => added.upload}, ${({ from }) => from} + n - 1, page, position, length(body),
         ${language}::regconfig, text,
         setweight(to_tsvector(${language}::regconfig, heading), 'A') || body
           || array_to_tsvector(ARRAY[${({ datastore }) => datastoreLexeme(datastore)}])
  FROM unnest(${each('page')}::int[], ${each('position')}::int[], ${each('heading')}::text[], ${each('text')}::text[])
         WITH ORDINALITY AS p (page, position, heading, text, n),
       to_tsvector(${language}::regconfig, text) AS body`,
  'annals_knowledge passages',
);

const LEXEMES_OF = sql<UploadRef>`
  SELECT u.lexeme, count(*) AS passages
  FROM ${IN}.passages p, unnest(p.lexemes) u
  WHERE p.upload = ${(of) => of.upload} AND left(u.lexeme, 1) <> '@'
  GROUP BY u.lexeme ORDER BY u.lexeme`;

const COUNT_LEXEMES = statement(sql<UploadRef>`
  INSERT INTO ${IN}.lexemes AS l (datastore, lexeme, passages)
  SELECT ${({ datastore }) => datastore}, lexeme, passages FROM (${LEXEMES_OF}) AS counted
  ON CONFLICT (datastore, lexeme) DO UPDATE SET passages = l.passages + excluded.passages`);

const UNCOUNT_LEXEMES = statement(sql<UploadRef>`
  UPDATE ${IN}.lexemes l SET passages = l.passages - counted.passages
  FROM (${LEXEMES_OF}) AS counted
  WHERE l.datastore = ${({ datastore }) => datastore} AND l.lexeme = counted.lexeme`);

const FORGET_LEXEMES = statement(
  sql<string>`DELETE FROM ${IN}.lexemes WHERE datastore = ${(datastore) => datastore} AND passages <= 0`,
);

/** Two that count in one datastore at the same time would wait for each other's rows. */
const lockCounts = (client: TransactionClient, datastore: string) => client.query(LOCK_COUNTS(datastore));
const LOCK_COUNTS = statement(
  sql<string>`SELECT pg_advisory_xact_lock(hashtext(${(datastore) => `${SCHEMA} ${datastore}`}))`,
);
