import type { MessageType } from '#domain';
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
  readonly messages: readonly StoredMessage[];
}

/** A database that answers later than this is no faster than the log. */
const PATIENCE_MS = 1_000;

/** What goes into one row of the answer, or one message that is larger. */
const ROW_BYTES = 16 * 1024;

/**
 * A few rows; the parts of each are a list of how many bytes they have, and the bytes of all of them. Of 600 rows the
 * driver alone would take 6 ms; for one large row it doubles its buffer until the row fits, and the garbage of 50 answers
 * of 150 KB makes V8 collect the whole heap. (It cannot take them in binary form: it reads all answers as UTF-8.)
 */
const QUERY = `
SELECT s.folded_to, s.is_hidden, m.parts, m.contents
FROM ${SCHEMA}.sessions s LEFT JOIN LATERAL (
  SELECT place, string_agg(concat_ws(' ', octet_length(contents), type, is_file::int), ',' ORDER BY revision) AS parts,
    string_agg(contents, '' ORDER BY revision) AS contents
  FROM (
    SELECT *, sum(octet_length(contents)) OVER (ORDER BY revision) / ${ROW_BYTES} AS place
    FROM ${SCHEMA}.messages WHERE session = s.session
  ) ordered GROUP BY place
) m ON true WHERE s.session = $1 ORDER BY m.place`;

interface Row {
  readonly folded_to: number;
  readonly is_hidden: boolean;
  /** null: no messages */
  readonly parts: string | null;
  readonly contents: Buffer | null;
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

  /** null: the tables do not know the session. @throws ReadModelsUnavailable */
  async read(session: string): Promise<ProjectedHistory | null> {
    const rows = await this.query(session);
    const [row] = rows;
    if (row === undefined) return null;
    const { folded_to: foldedTo, is_hidden: isHidden } = row;
    const parts = rows.flatMap(partsOf);
    await this.codec.ready(parts.map(({ contents }) => contents));
    const messages = parts.flatMap((part) => messagesIn(session, part, this.codec));
    return { foldedTo, isHidden, messages };
  }

  private async query(session: string): Promise<readonly Row[]> {
    try {
      const { rows } = await this.database.query(
        { name: 'history', text: QUERY, values: [session] },
        PATIENCE_MS,
      );
      return rows as readonly Row[];
    } catch (error) {
      // The log can tell the same: a history too large for one answer, tables that are being made anew.
      if (error instanceof DatabaseFault) throw new ReadModelsUnavailable(error.message);
      throw error;
    }
  }
}
