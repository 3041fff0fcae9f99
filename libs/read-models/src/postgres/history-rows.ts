import type { MessageType } from '#projections';
import type { SessionId } from '#domain';
import { type Sql, raw, sql, statement } from '#postgres';
import type { ContentCodec } from '../content-codec.js';
import { ReadModelsUnavailable } from '../unavailable.js';
import type { Database } from './database.js';
import { DatabaseFault } from './errors.js';
import { type MessagePart, type StoredMessage, messagesIn } from './message-parts.js';
import { SCHEMA } from './schema.js';

/** What the tables know of a session's history, at one moment. */
export interface ProjectedHistory {
  /** All messages that began up to this revision are there. */
  readonly foldedTo: number;
  readonly isHidden: boolean;
  /** What the session was forked from stands before it. */
  readonly inherits: boolean;
  /** The first ones, in at most FIRST_BYTES of rows; none where the first row is larger. */
  readonly messages: readonly StoredMessage[];
  /** null: these are all. */
  readonly rest: HistoryRest | null;
}

/** What is still to be read of a history, as it was at the moment of its first page. */
export interface HistoryRest {
  /** The most bytes that a page of it brings into memory. */
  readonly pageBytes: number;
  /** Revision of the last row that was read; -1: none. */
  readonly after: number;
  /** Of its last row. */
  readonly until: number;
  /** Of its first row, and the table in which that stood: as long as it stands there, nothing of the rest was taken away. */
  readonly first: number;
  readonly table: number;
}

/** Where a history begins and how far the tables know it. */
export interface HistoryBounds {
  readonly foldedTo: number;
  readonly isHidden: boolean;
  /** What the session was forked from stands before it. */
  readonly inherits: boolean;
  /** Revision of the first message; null: there is none. */
  readonly first: number | null;
}

const BOUNDS = statement(
  sql<SessionId>`
SELECT s.folded_to, s.is_hidden, s.inherits, (SELECT min(revision) FROM ${raw(SCHEMA)}.messages WHERE session = s.session) AS first
FROM ${raw(SCHEMA)}.sessions s WHERE s.session = ${(session) => session}`,
  'history_bounds',
);

/** The part of a history that the tables know for good to have been there at an event. */
export interface PastHistory {
  /** Of the session as it is now: no clear up to here lies behind the first row. */
  readonly foldedTo: number;
  /** Revision of the first message that is not among these: it stood there at the event, perhaps half; null: there is none. */
  readonly next: number | null;
  /** Of the first row of these; null: there is none. */
  readonly first: number | null;
  /** As of `foldedTo`: what the session was forked from stands before it. */
  readonly inherits: boolean;
  readonly messages: readonly StoredMessage[];
  readonly rest: HistoryRest | null;
}

/** A database that answers later than this is no faster than the log. */
const PATIENCE_MS = 1_000;

/** What goes into one row of the answer, or one message that is larger. */
const ROW_BYTES = 16 * 1024;
/** Rows of a history of which nobody knows yet how large it is. */
const FIRST_BYTES = 64 * 1024;
/** Rows of each further page, or one row that is larger. */
const PAGE_BYTES = 256 * 1024;
/** So many are looked at for a page, so that a history of many small ones is not counted to its end for each. */
const PAGE_ROWS = 4_096;

const MESSAGES = raw(`${SCHEMA}.messages`);

/**
 * A few rows; the parts of each are a list of how many bytes they have, and the bytes of all of them. Of 600 rows the
 * driver alone would take 6 ms; for one large row it doubles its buffer until the row fits, and the garbage of 50 answers
 * of 150 KB makes V8 collect the whole heap. (It cannot take them in binary form: it reads all answers as UTF-8.)
 */
const pageOf = <I>(source: Sql<I>, fits: string): Sql<I> => sql<I>`
SELECT place, max(revision) AS last,
  string_agg(concat_ws(' ', octet_length(contents), type, is_file::int), ',' ORDER BY revision) AS parts,
  string_agg(contents, '' ORDER BY revision) AS contents
FROM (
  SELECT *, upto / ${raw(ROW_BYTES)} AS place
  FROM (SELECT *, sum(octet_length(contents)) OVER (ORDER BY revision) AS upto
    FROM (SELECT revision, type, is_file, contents FROM ${MESSAGES} WHERE ${source}
      ORDER BY revision LIMIT ${raw(PAGE_ROWS)}) few) counted
  WHERE ${raw(fits)}
) ordered GROUP BY place`;

const FIRST = statement(
  sql<SessionId>`
SELECT s.folded_to, s.is_hidden, s.inherits, w.first, w.until, w.most, w.of_table, m.last, m.parts, m.contents
FROM ${raw(SCHEMA)}.sessions s
CROSS JOIN LATERAL (
  SELECT min(revision) AS first, max(revision) AS until, max(octet_length(contents)) AS most,
    min(tableoid::bigint)::float8 AS of_table
  FROM ${MESSAGES} WHERE session = s.session
) w
LEFT JOIN LATERAL (${pageOf(raw('session = s.session'), `upto <= ${FIRST_BYTES}`)}) m ON true
WHERE s.session = ${(session) => session} ORDER BY m.place`,
  'history',
);

interface SessionAt {
  readonly session: SessionId;
  readonly at: number;
}

const PAST = statement(
  sql<SessionAt>`
SELECT s.folded_to, s.is_hidden, s.inherits, b.next, w.first, w.until, w.most, w.of_table, m.last, m.parts, m.contents
FROM ${raw(SCHEMA)}.sessions s
CROSS JOIN LATERAL (
  SELECT max(revision) AS next FROM ${MESSAGES} WHERE session = s.session AND revision <= ${({ at }) => at}
) b
CROSS JOIN LATERAL (
  SELECT min(revision) AS first, max(revision) AS until, max(octet_length(contents)) AS most,
    min(tableoid::bigint)::float8 AS of_table
  FROM ${MESSAGES} WHERE session = s.session AND revision < b.next
) w
LEFT JOIN LATERAL (${pageOf(raw('session = s.session AND revision < b.next'), `upto <= ${FIRST_BYTES}`)}) m ON true
WHERE s.session = ${({ session }) => session} ORDER BY m.place`,
  'history_past',
);

type RestOfSession = HistoryRest & { readonly session: SessionId };
const ofSession = (rest: RestOfSession): string => rest.session;

const NEXT = statement(
  sql<RestOfSession>`
SELECT m.last, m.parts, m.contents FROM (${pageOf(
    sql<RestOfSession>`session = ${ofSession} AND revision > ${(rest) => rest.after} AND revision <= ${(rest) => rest.until}`,
    `upto <= ${PAGE_BYTES} OR upto = octet_length(contents)`,
  )}) m
WHERE EXISTS (SELECT FROM ${MESSAGES} WHERE session = ${ofSession} AND revision = ${(rest) => rest.first}
  AND tableoid = ${(rest) => rest.table}::bigint::oid)
ORDER BY m.place`,
  'history_rest',
);

interface Row {
  /** Of its last part; null: no messages */
  readonly last: number | null;
  readonly parts: string | null;
  readonly contents: Buffer | null;
}

interface FirstRow extends Row {
  readonly folded_to: number;
  readonly is_hidden: boolean;
  readonly inherits: boolean;
  /** These four are null where there are no messages at all. */
  readonly first: number | null;
  readonly until: number | null;
  readonly most: number | null;
  readonly of_table: number | null;
}

function partsOf({ parts, contents }: Row): readonly MessagePart[] {
  if (parts === null || contents === null) return [];
  let at = 0;
  return parts.split(',').map((part) => {
    const [bytes, type, isFile] = part.split(' ');
    const bytesOfPart = contents.subarray(at, (at += Number(bytes)));
    if (type === undefined) return { contents: bytesOfPart };
    return { contents: bytesOfPart, only: { type: type as MessageType, isFile: isFile === '1' } };
  });
}

export class HistoryRows {
  constructor(
    private readonly database: Database,
    private readonly codec: ContentCodec,
  ) {}

  /** null: the tables do not know the session. @throws ReadModelsUnavailable, ContentErased */
  async read(session: SessionId): Promise<ProjectedHistory | null> {
    const rows = await this.first(session);
    const [row] = rows;
    if (row === undefined) return null;
    const { folded_to: foldedTo, is_hidden: isHidden, inherits } = row;
    const messages = await this.messages(session, rows);
    return { foldedTo, isHidden, inherits, messages, rest: restOf(row, rows.at(-1)!.last ?? -1) };
  }

  /** What was complete at an event; null as for `bounds`. @throws ContentErased */
  async past(session: SessionId, at: number): Promise<PastHistory | null> {
    try {
      const { rows } = await this.database.query(PAST({ session, at }), PATIENCE_MS);
      const found = rows as readonly (FirstRow & { readonly next: number | null })[];
      const [row] = found;
      if (row === undefined) return null;
      const messages = await this.messages(session, found);
      const rest = restOf(row, found.at(-1)!.last ?? -1);
      const { folded_to: foldedTo, next, first, inherits } = row;
      return { foldedTo, next, first, inherits, messages, rest };
    } catch (error) {
      if (error instanceof DatabaseFault || error instanceof ReadModelsUnavailable) return null;
      throw error;
    }
  }

  /** null: the tables do not know the session, or are not there; the log can tell the same. */
  async bounds(session: SessionId): Promise<HistoryBounds | null> {
    try {
      const { rows } = await this.database.query(BOUNDS(session), PATIENCE_MS);
      const [row] = rows as readonly Pick<FirstRow, 'folded_to' | 'is_hidden' | 'inherits' | 'first'>[];
      if (row === undefined) return null;
      const { folded_to: foldedTo, is_hidden: isHidden, inherits, first } = row;
      return { foldedTo, isHidden, inherits, first };
    } catch (error) {
      if (error instanceof DatabaseFault || error instanceof ReadModelsUnavailable) return null;
      throw error;
    }
  }

  /**
   * The rest of a history, page by page.
   * @throws ReadModelsUnavailable: it is no longer as it was, cleared or in other tables; ContentErased
   */
  async *rest(session: SessionId, rest: HistoryRest): AsyncGenerator<readonly StoredMessage[]> {
    const { until } = rest;
    for (let { after } = rest; after < until;) {
      const { rows } = await this.database.query(NEXT({ ...rest, session, after }));
      const last = (rows as readonly Row[]).at(-1)?.last ?? null;
      if (last === null) throw new ReadModelsUnavailable('the history changed while it was read');
      after = last;
      yield await this.messages(session, rows as readonly Row[]);
    }
  }

  private async messages(session: SessionId, rows: readonly Row[]): Promise<readonly StoredMessage[]> {
    const parts = rows.flatMap(partsOf);
    await this.codec.ready(parts.map(({ contents }) => contents));
    return parts.flatMap((part) => messagesIn(session, part, this.codec));
  }

  private async first(session: SessionId): Promise<readonly FirstRow[]> {
    try {
      const { rows } = await this.database.query(FIRST(session), PATIENCE_MS);
      return rows as readonly FirstRow[];
    } catch (error) {
      // The log can tell the same: tables that are being made anew.
      if (error instanceof DatabaseFault) throw new ReadModelsUnavailable(error.message);
      throw error;
    }
  }
}

function restOf({ first, until, most, of_table: table }: FirstRow, after: number): HistoryRest | null {
  if (first === null || until === null || table === null || after >= until) return null;
  return { pageBytes: Math.max(PAGE_BYTES, most ?? 0), after, until, first, table };
}
