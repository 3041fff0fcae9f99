import type { SessionId } from './ids.js';

/** Text too large for an event lies in the file store; the event holds its name. */
export interface FileRef {
  readonly $file: string;
  readonly bytes: number;
  /** Hex; absent: an earlier version stored it. Its name tells nobody who lacks the key what it holds. */
  readonly sha256?: string;
  /** In whose files it lies; absent: in those of the session that the event is of. Never in an event. */
  readonly session?: SessionId;
}

export type Content = string | FileRef;

export const isFileRef = (content: string | object): content is FileRef =>
  typeof content !== 'string' && '$file' in content;

/** Characters of a text, bytes of a file. */
export const lengthOf = (content: Content): number => (isFileRef(content) ? content.bytes : content.length);

/** The same of several together. */
export const lengthOfAll = (pieces: readonly Content[]): number =>
  pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);

/** Pieces of text as one; a piece that lies in a file stands alone. */
export function joinedPieces(pieces: readonly Content[]): Content[] {
  const parts: Content[] = [];
  for (const piece of pieces) {
    const last = parts.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') parts[parts.length - 1] = last + piece;
    else parts.push(piece);
  }
  return parts;
}
