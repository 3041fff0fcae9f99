import type { ContextMessage, ResultFile, SessionId } from '#domain';
import { type ContentStore, FileMissing } from '#vault';
import type { ModelImage, ModelMessage } from './model-client.js';

/** Images that go with the results of one turn. */
const MOST_OF_TURN = 10;
/** Bytes of all images of one request: those of the newest turns. */
const MAX_REQUEST_BYTES = 20 * 1024 * 1024;
/** So much of them stays where there are more. */
const KEPT_BYTES = 15 * 1024 * 1024;

/** Which images a request shows. */
export interface TurnImages {
  /** By the index of the last result of their turn: behind it they stand. */
  readonly behind: ReadonlyMap<number, readonly ResultFile[]>;
  readonly bytes: number;
}

/**
 * Chooses the images of a request: those of the newest turns. Where they do not fit any more, several of the oldest go at
 * once, so that requests mostly begin as the one before did.
 */
export function imagesOf(messages: readonly ContextMessage[]): TurnImages {
  let shown: (readonly [last: number, images: readonly ResultFile[]])[] = [];
  let bytes = 0;
  for (let at = 0; at < messages.length; at++) {
    if (messages[at]?.role !== 'tool') continue;
    const ofTurn: (readonly ResultFile[])[] = [imagesIn(messages[at])];
    for (; messages[at + 1]?.role === 'tool'; at++) ofTurn.push(imagesIn(messages[at + 1]));
    const images = distinct(ofTurn.flat()).slice(0, MOST_OF_TURN);
    const size = sizeOfImages(images);
    if (images.length === 0 || size > MAX_REQUEST_BYTES) continue;
    shown.push([at, images]);
    bytes += size;
    if (bytes <= MAX_REQUEST_BYTES) continue;
    while (shown.length > 1 && bytes > KEPT_BYTES) bytes -= sizeOfImages(shown.shift()![1]);
  }
  return { behind: new Map(shown), bytes };
}

const sizeOfImages = (images: readonly ResultFile[]): number =>
  images.reduce((sum, { file }) => sum + file.bytes, 0);

/** The message that shows images, in the order in which they came; null: none of them is there any more. */
export async function messageOfImages(
  images: readonly ResultFile[],
  { session, contents }: { readonly session: SessionId; readonly contents: ContentStore },
): Promise<ModelMessage | null> {
  const shown: ModelImage[] = [];
  for (const { id, file, media_type: mediaType } of images) {
    try {
      shown.push({ id, mediaType, bytes: await contents.bytes(session, file) });
    } catch (error) {
      if (!(error instanceof FileMissing)) throw error;
    }
  }
  if (shown.length === 0) return null;
  const content = `The images of these results, in this order: ${shown.map(({ id }) => id).join(', ')}`;
  return { role: 'user', content, images: shown };
}

const imagesIn = (message: ContextMessage | undefined): readonly ResultFile[] =>
  message?.role === 'tool' ? (message.images ?? []) : [];

const distinct = (files: readonly ResultFile[]): readonly ResultFile[] => [
  ...new Map(files.map((file) => [file.id, file])).values(),
];
