import { type TransactionClient, sql, statement } from '#postgres';
import { IN, SCHEMA } from './tables.js';

/**
 * How many passages are counted, or removed, in one transaction: seconds of work whatever is in them, because whoever
 * tells that the text is still read waits for its row, and whoever counts in the same datastore for its turn.
 */
export const PIECE = 500;

export interface UploadRef {
  readonly upload: string;
  readonly datastore: string;
}

/**
 * How often lexemes stand in passages, as `lexemes` counts it.
 * 1. `texts.counted`: of a text the passages below this ordinal are counted, and no others. It is written together with the
 *    counts, so that what a process leaves in the middle is taken back exactly.
 * 2. Below 0: the datastore was deleted, and its counts go as a whole.
 */
export async function countPiece(client: TransactionClient, of: UploadRef, from: number): Promise<void> {
  const piece = { ...of, from, to: from + PIECE };
  await lockCounts(client, of.datastore);
  await client.query(COUNT_LEXEMES(piece));
  // Invariant 1.
  await client.query(SET_COUNTED({ upload: of.upload, counted: piece.to }));
}

/** The last passages of a text, and what they count. Returns whether there were any. */
export async function removePiece(client: TransactionClient, of: UploadRef): Promise<boolean> {
  const { upload } = of;
  const { rows } = await client.query<{ counted: number; last: number | null }>(LAST_OF(upload));
  const [text] = rows;
  if (text === undefined || text.last === null) return false;
  const from = Math.max(0, text.last - PIECE + 1);
  if (text.counted > from) {
    await lockCounts(client, of.datastore);
    await client.query(UNCOUNT_LEXEMES({ ...of, from, to: text.counted }));
    // Invariant 1.
    await client.query(SET_COUNTED({ upload, counted: from }));
  }
  await client.query(DELETE_PASSAGES({ upload, from }));
  return true;
}

/** Counts of a datastore that was deleted (invariant 2), some of them. Returns whether there were any. */
export async function removeCounts(client: TransactionClient, of: UploadRef): Promise<boolean> {
  const { rowCount } = await client.query(FORGET_LEXEMES(of));
  return (rowCount ?? 0) > 0;
}

interface Piece extends UploadRef {
  /** Ordinal of the first passage. */
  readonly from: number;
  /** Of the first one behind. */
  readonly to: number;
}
const uploadOf = ({ upload }: { readonly upload: string }): string => upload;
const datastoreOf = ({ datastore }: UploadRef): string => datastore;
const fromOf = ({ from }: { readonly from: number }): number => from;

const LEXEMES_OF = sql<Piece>`
  SELECT u.lexeme, count(*)::int AS passages
  FROM ${IN}.passages p, unnest(p.lexemes) u
  WHERE p.upload = ${uploadOf} AND p.ordinal >= ${fromOf} AND p.ordinal < ${({ to }) => to}
    AND left(u.lexeme, 1) <> '@'
  GROUP BY u.lexeme ORDER BY u.lexeme`;

const COUNT_LEXEMES = statement(sql<Piece>`
  INSERT INTO ${IN}.lexemes AS l (datastore, lexeme, passages)
  SELECT ${datastoreOf}, lexeme, passages FROM (${LEXEMES_OF}) AS counted
  ON CONFLICT (datastore, lexeme) DO UPDATE SET passages = l.passages + excluded.passages`);

/** What nothing counts any more goes, and is not written a last time: that would cost its place in every index. */
const UNCOUNT_LEXEMES = statement(sql<Piece>`
  WITH counted AS MATERIALIZED (${LEXEMES_OF}), gone AS (
    DELETE FROM ${IN}.lexemes l USING counted c
    WHERE l.datastore = ${datastoreOf} AND l.lexeme = c.lexeme AND l.passages <= c.passages
  )
  UPDATE ${IN}.lexemes l SET passages = l.passages - c.passages FROM counted c
  WHERE l.datastore = ${datastoreOf} AND l.lexeme = c.lexeme AND l.passages > c.passages`);

const AT_ONCE = 20_000;
const FORGET_LEXEMES = statement(sql<UploadRef>`
  DELETE FROM ${IN}.lexemes WHERE ctid = ANY (ARRAY(
    SELECT l.ctid FROM ${IN}.lexemes l JOIN ${IN}.texts t ON t.upload = ${uploadOf} AND t.counted < 0
    WHERE l.datastore = ${datastoreOf} LIMIT ${() => AT_ONCE}))`);

const SET_COUNTED = statement(sql<{ readonly upload: string; readonly counted: number }>`
  UPDATE ${IN}.texts SET counted = ${({ counted }) => counted} WHERE upload = ${uploadOf}`);

const LAST_OF = statement(sql<string>`
  SELECT t.counted, (SELECT max(p.ordinal) FROM ${IN}.passages p WHERE p.upload = t.upload) AS last
  FROM ${IN}.texts t WHERE t.upload = ${(id) => id} FOR UPDATE OF t`);

const DELETE_PASSAGES = statement(sql<{ readonly upload: string; readonly from: number }>`
  DELETE FROM ${IN}.passages WHERE upload = ${uploadOf} AND ordinal >= ${fromOf}`);

/** Two that count in one datastore at the same time would wait for each other's rows. */
const lockCounts = (client: TransactionClient, datastore: string) => client.query(LOCK_COUNTS(datastore));
const LOCK_COUNTS = statement(
  sql<string>`SELECT pg_advisory_xact_lock(hashtext(${(datastore) => `${SCHEMA} ${datastore}`}))`,
);
