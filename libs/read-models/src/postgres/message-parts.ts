import type { Content, Revision, SessionId } from '#domain';
import type { MessageType } from '#projections';
import { ContentErased } from '#event-log';
import type { RowOf } from '#postgres';
import type { ContentCodec, ContentSealer } from '../content-codec.js';
import type { MessageRow } from '../projection/rows.js';
import type { MESSAGES } from '../tables/messages.js';

/**
 * Messages as the table holds them: those that a commit adds to one session are few rows, each at the revision of its first,
 * whose messages are sealed together. To open each of 400 messages by itself was half of what a history costs.
 */

export type StoredMessage = Pick<MessageRow, 'type' | 'pieces'>;

/** One message in the JSON of a row: its text, or its pieces where some lie in files. */
type Written = readonly [type: MessageType, content: string | readonly Content[]];

interface WrittenRow {
  /** Of its first message. */
  readonly revision: Revision;
  /** Of its last message. */
  last: Revision;
  readonly texts: string[];
  chars: number;
}

/**
 * A page of a history holds a row at least, however much a commit adds. One message may be longer, and so may those of one
 * revision, as what a request brings: a row is found by the revision of its first, so they stand in one.
 */
const ROW_CHARS = 32 * 1024;
/** What is told as of an event is folded from the first revision of the row that it stands in. */
const ROW_REVISIONS = 500;

export function storedMessages(
  rows: readonly MessageRow[],
  sealer: ContentSealer,
): readonly RowOf<typeof MESSAGES>[] {
  return [...Map.groupBy(rows, ({ session }) => session)].flatMap(([session, messages]) => {
    const inOrder = messages.toSorted((a, b) => a.revision - b.revision);
    return inRows(inOrder).map(({ revision, texts }) => ({
      session,
      revision,
      contents: sealer.seal(session, `[${texts.join(',')}]`),
    }));
  });
}

function inRows(messages: readonly MessageRow[]): readonly WrittenRow[] {
  const rows: WrittenRow[] = [];
  for (const message of messages) {
    const text = JSON.stringify(written(message));
    const last = rows.at(-1);
    const { revision } = message;
    const fits =
      last !== undefined &&
      (revision === last.last ||
        (last.chars + text.length <= ROW_CHARS && revision < last.revision + ROW_REVISIONS));
    const row = fits ? last : { revision, last: revision, texts: [], chars: 0 };
    if (!fits) rows.push(row);
    row.texts.push(text);
    row.last = revision;
    row.chars += text.length;
  }
  return rows;
}

const written = ({ type, pieces }: MessageRow): Written => [
  type,
  pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : pieces,
];

/** A row's column, and what stands beside it in rows of older versions, which hold one message. */
export interface MessagePart {
  readonly contents: Buffer;
  readonly only?: { readonly type: MessageType; readonly isFile: boolean };
}

/** @throws ContentErased: a moment ago; the row goes next */
export function messagesIn(
  session: SessionId,
  { contents, only }: MessagePart,
  codec: ContentCodec,
): readonly StoredMessage[] {
  const text = codec.open(session, contents);
  if (text === null) throw new ContentErased(`nothing of ${session} can be read any more`);
  if (only === undefined)
    return (JSON.parse(text) as readonly Written[]).map(([type, content]) => ({
      type,
      pieces: typeof content === 'string' ? [content] : content,
    }));
  return [{ type: only.type, pieces: only.isFile ? (JSON.parse(text) as Content[]) : [text] }];
}
