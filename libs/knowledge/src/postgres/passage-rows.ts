import type { Passage } from '#extraction';
import { type TransactionClient, raw, sql, statement } from '#postgres';
import type { KnowledgeDatabase } from '../ports.js';
import { indexText } from '../search/index-text.js';
import { PIECE, type UploadRef, countPiece, removePiece } from './counted-passages.js';
import { GoneTexts, markGone } from './gone-texts.js';
import { IN, datastoreLexeme } from './tables.js';

export type { UploadRef } from './counted-passages.js';

/** Lease of a text: it is lost where its holder does not renew it for so long. */
const HELD_S = 30;

/** After so long a text that could not be read is tried again: its file may have been restored. */
const PUT_OFF_S = 600;

/** A paragraph of 25 MB comes as one batch: written in one statement, its passages would take a minute. */
const ADDED_AT_ONCE = 200;

export interface Batch {
  /** Ordinal of the first one. */
  readonly from: number;
  readonly passages: readonly Passage[];
  /** A text search configuration of PostgreSQL. */
  readonly language: string;
}

/** The lease of a text is lost: another process reads it, or it was deleted. */
export class TextLost extends Error {
  override readonly name = 'TextLost';
}

/** Passages of uploads, as they are written and removed. */
export class PassageRows {
  private readonly gone: GoneTexts;

  constructor(
    private readonly database: KnowledgeDatabase,
    /** Names this process among those that read texts. */
    private readonly holder: string,
  ) {
    this.gone = new GoneTexts(database);
  }

  /**
   * Takes an upload whose text is to be read when its turn comes; what an earlier reader left of it is removed.
   * @throws TextLost where someone else has it
   */
  async hold(of: UploadRef): Promise<void> {
    await this.database.transaction(async (client) => {
      const { rowCount } = await client.query(HOLD({ ...of, holder: this.holder }));
      if (rowCount === 0) throw new TextLost('someone else reads the text');
      return true;
    });
    await this.clear(of);
  }

  /**
   * The reading of what is held begins: it is counted, unless it is already, so that whatever becomes of this process and
   * of the database's the count stays. Returns the count. @throws TextLost
   */
  async begin(of: UploadRef, { isCounted }: { readonly isCounted: boolean }): Promise<number> {
    const { upload } = of;
    let attempts = 0;
    await this.database.transaction(async (client) => {
      await client.query('SET LOCAL synchronous_commit = on');
      await this.renew(client, upload);
      const { rows } = await client.query<{ attempts: number }>(COUNT({ upload, isCounted }));
      ({ attempts } = rows[0]!);
      return true;
    });
    await this.clear(of);
    return attempts;
  }

  /** What is held is not read on, through no fault of its own. */
  async uncount(
    upload: string,
    how: { readonly isCounted: boolean; readonly isLetGo: boolean },
  ): Promise<void> {
    await this.database.query(UNCOUNT({ ...how, upload, holder: this.holder }));
  }

  /** A few at a time, however many come together. @throws TextLost; the signal's reason */
  async add(of: UploadRef, { from, passages, language }: Batch, signal: AbortSignal): Promise<void> {
    for (let at = 0; at < passages.length; at += ADDED_AT_ONCE) {
      signal.throwIfAborted();
      const some = passages.slice(at, at + ADDED_AT_ONCE);
      await this.holding(of.upload, async (client) => {
        await client.query(INSERT_LANGUAGE({ datastore: of.datastore, language }));
        await client.query(INSERT({ ...of, from: from + at, passages: some, language }));
      });
    }
  }

  /**
   * All passages are there: counts what is in them, a piece at a time, and then they are found.
   * @throws TextLost; the signal's reason
   */
  async complete(of: UploadRef, passages: number, signal: AbortSignal): Promise<void> {
    for (let from = 0; from < passages; from += PIECE) {
      signal.throwIfAborted();
      await this.holding(of.upload, (client) => countPiece(client, of, from));
    }
    await this.holding(of.upload, (client) => client.query(COMPLETE({ upload: of.upload, passages })));
  }

  /** Tells that the reading goes on. @throws TextLost */
  async keepHolding(upload: string): Promise<void> {
    await this.holding(upload, () => Promise.resolve());
  }

  /** With everything that was made of its text. */
  async remove(upload: string): Promise<void> {
    let marked: readonly UploadRef[] = [];
    await this.database.transaction(async (client) => {
      marked = await markGone(client, [upload]);
      return true;
    });
    for (const text of marked) await this.gone.remove(text);
  }

  /** What was read came to nothing, and will again: others have their turn first. */
  async putOff(upload: string): Promise<void> {
    await this.database.query(PUT_OFF({ upload, holder: this.holder }));
  }

  /** What is left of a reading that came to nothing. @throws TextLost */
  private async clear(of: UploadRef): Promise<void> {
    while (await this.holding(of.upload, (client) => removePiece(client, of)));
  }

  /** A transaction of whoever has the text. It renews its lease, and is short: others wait for the text's row. @throws TextLost */
  private async holding<T>(upload: string, work: (client: TransactionClient) => Promise<T>): Promise<T> {
    const done: T[] = [];
    await this.database.transaction(async (client) => {
      await this.renew(client, upload);
      done[0] = await work(client);
      return true;
    });
    return done[0] as T;
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
  WHERE t.passages IS NULL AND NOT t.is_gone AND (t.held_until < now() OR t.holder = EXCLUDED.holder)`);

const RENEW = statement(sql<Held>`
  UPDATE ${IN}.texts SET held_until = ${UNTIL}
  WHERE upload = ${upload} AND holder = ${holder} AND passages IS NULL AND NOT is_gone`);

const PUT_OFF = statement(sql<Held>`
  UPDATE ${IN}.texts SET held_until = now() + ${raw(String(PUT_OFF_S))} * interval '1 s'
  WHERE upload = ${upload} AND holder = ${holder} AND passages IS NULL AND NOT is_gone`);

const UNCOUNT = statement(sql<Held & { readonly isCounted: boolean; readonly isLetGo: boolean }>`
  UPDATE ${IN}.texts SET attempts = greatest(attempts - ${({ isCounted }) => (isCounted ? 1 : 0)}, 0),
    held_until = CASE WHEN ${({ isLetGo }) => isLetGo} THEN '-infinity' ELSE held_until END
  WHERE upload = ${upload} AND holder = ${holder} AND passages IS NULL`);

const COUNT = statement(sql<{ readonly upload: string; readonly isCounted: boolean }>`
  UPDATE ${IN}.texts SET attempts = attempts + ${({ isCounted }) => (isCounted ? 0 : 1)}
  WHERE upload = ${(text) => text.upload} RETURNING attempts`);

const COMPLETE = statement(sql<{ readonly upload: string; readonly passages: number }>`
  UPDATE ${IN}.texts SET passages = ${({ passages }) => passages} WHERE upload = ${(text) => text.upload}`);

const INSERT_LANGUAGE = statement(sql<Pick<Added, 'datastore' | 'language'>>`
  INSERT INTO ${IN}.languages (datastore, language)
  VALUES (${({ datastore }) => datastore}, ${(added) => added.language}::regconfig) ON CONFLICT DO NOTHING`);

type Added = UploadRef & Batch;
const language = (added: Added): string => added.language;
const each =
  <P extends keyof Passage>(property: P) =>
  ({ passages }: Added): readonly Passage[P][] =>
    passages.map((passage) => passage[property]);

const indexed =
  (property: 'heading' | 'text') =>
  ({ passages }: Added): readonly string[] =>
    passages.map((passage) => indexText(passage[property]));

/** A heading counts for more than the text below it. */
const INSERT = statement(
  sql<Added>`
  INSERT INTO ${IN}.passages (upload, ordinal, page, position, words, language, text, lexemes)
  SELECT ${(added) => added.upload}, ${({ from }) => from} + n - 1, page, position, length(body),
         ${language}::regconfig, text,
         setweight(to_tsvector(${language}::regconfig, heading), 'A') || body
           || array_to_tsvector(ARRAY[${({ datastore }) => datastoreLexeme(datastore)}])
  FROM unnest(${each('page')}::int[], ${each('position')}::int[], ${indexed('heading')}::text[],
              ${each('text')}::text[], ${indexed('text')}::text[])
         WITH ORDINALITY AS p (page, position, heading, text, indexed, n),
       to_tsvector(${language}::regconfig, indexed) AS body`,
  'annals_knowledge passages',
);
