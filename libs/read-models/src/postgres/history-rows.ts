import type { Content, MessageType } from '#domain';
import type { ContentCodec } from '../content-codec.js';
import { ReadModelsUnavailable } from '../unavailable.js';
import type { Database } from './database.js';
import { DatabaseFault } from './errors.js';
import { SCHEMA } from './schema.js';

/** What the tables know of a session's history, at one moment. */
export interface ProjectedHistory {
  readonly project: string;
  /** All messages that began up to this revision are there. */
  readonly foldedTo: number;
  readonly isHidden: boolean;
  readonly messages: readonly { readonly type: MessageType; readonly pieces: readonly Content[] }[];
}

/** A database that answers later than this is no faster than the log. */
const PATIENCE_MS = 1_000;

/**
 * One row; its messages are a list of what they are and how many bytes they have, and the bytes of all of them. Of 600
 * rows the driver alone would take 6 ms. (It cannot take them in binary form: it reads all answers as UTF-8.)
 */
const QUERY = `
SELECT s.project, s.folded_to, s.is_hidden, m.kinds, m.contents
FROM ${SCHEMA}.sessions s CROSS JOIN LATERAL (
  SELECT string_agg(concat_ws(' ', type, is_file::int, octet_length(content)), ',') AS kinds,
    string_agg(content, '') AS contents
  FROM (SELECT * FROM ${SCHEMA}.messages WHERE session = s.session ORDER BY revision) ordered
) m WHERE s.session = $1`;

interface Row {
  readonly project: string;
  readonly folded_to: number;
  readonly is_hidden: boolean;
  /** null: no messages */
  readonly kinds: string | null;
  readonly contents: Buffer | null;
}

interface Column {
  readonly type: MessageType;
  readonly isFile: boolean;
  readonly content: Buffer;
}

function columnsOf({ kinds, contents }: Row): readonly Column[] {
  if (kinds === null || contents === null) return [];
  let at = 0;
  return kinds.split(',').map((kind) => {
    const [type, isFile, bytes] = kind.split(' ');
    const content = contents.subarray(at, (at += Number(bytes)));
    return { type: type as MessageType, isFile: isFile === '1', content };
  });
}

export class HistoryRows {
  constructor(
    private readonly database: Database,
    private readonly codec: ContentCodec,
  ) {}

  /** null: the tables do not know the session. @throws ReadModelsUnavailable */
  async read(session: string): Promise<ProjectedHistory | null> {
    const row = await this.query(session);
    if (row === undefined) return null;
    const { project, folded_to: foldedTo, is_hidden: isHidden } = row;
    const columns = columnsOf(row);
    await this.codec.ready(columns.map(({ content }) => content));
    return { project, foldedTo, isHidden, messages: columns.map((column) => this.message(session, column)) };
  }

  private message(session: string, { type, isFile, content }: Column): ProjectedHistory['messages'][number] {
    // Erased a moment ago: the row goes next.
    const text = this.codec.open(session, content) ?? '';
    return { type, pieces: isFile && text !== '' ? (JSON.parse(text) as Content[]) : [text] };
  }

  private async query(session: string): Promise<Row | undefined> {
    try {
      const { rows } = await this.database.query(
        { name: 'history', text: QUERY, values: [session] },
        PATIENCE_MS,
      );
      return rows[0] as Row | undefined;
    } catch (error) {
      // The log can tell the same: a history too large for one answer, tables that are being made anew.
      if (error instanceof DatabaseFault) throw new ReadModelsUnavailable(error.message);
      throw error;
    }
  }
}
