import type { Content, SessionId } from '#domain';
import type { MessageType } from '#projections';
import { ContentErased } from '#event-log';
import type { RowOf } from '#postgres';
import type { ContentCodec, ContentSealer } from '../content-codec.js';
import type { MessageRow } from '../projection/rows.js';
import type { MESSAGES } from '../tables/messages.js';

/**
 * Messages as the table holds them: those that a commit adds to one session are one row, at the revision of the first, and
 * are sealed together. To open each of 400 messages by itself was half of what a history costs.
 */

export type StoredMessage = Pick<MessageRow, 'type' | 'pieces'>;

/** One message in the JSON of a row: its text, or its pieces where some lie in files. */
type Written = readonly [type: MessageType, content: string | readonly Content[]];

export function storedMessages(
  rows: readonly MessageRow[],
  sealer: ContentSealer,
): readonly RowOf<typeof MESSAGES>[] {
  return [...Map.groupBy(rows, ({ session }) => session)].map(([session, messages]) => {
    const inOrder = messages.toSorted((a, b) => a.revision - b.revision);
    const text = JSON.stringify(inOrder.map(written));
    return { session, revision: inOrder[0]!.revision, contents: sealer.seal(session, text) };
  });
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
