import type { ContextMessage, ResultFile, SessionId } from '#domain';
import { type ContentStore, FileMissing } from '#vault';
import type { ModelImage, ModelMessage } from './model-client.js';

/** Images that go with the results of one turn. */
const MOST_OF_TURN = 10;
/** Bytes of all images of one request: those of the newest turns. */
const MAX_REQUEST_BYTES = 20 * 1024 * 1024;

/** Which images a request shows. */
export interface TurnImages {
  /** By the index of the last result of their turn: behind it they stand. */
  readonly behind: ReadonlyMap<number, readonly ResultFile[]>;
  readonly bytes: number;
}

/** Chooses the images of the newest turns, as many as fit into a request. */
export function imagesOf(messages: readonly ContextMessage[]): TurnImages {
  const behind = new Map<number, readonly ResultFile[]>();
  let bytes = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    const last = at;
    const ofTurn: (readonly ResultFile[])[] = [];
    for (; messages[at]?.role === 'tool'; at--) ofTurn.unshift(imagesIn(messages[at]));
    const images = distinct(ofTurn.flat()).slice(0, MOST_OF_TURN);
    if (images.length === 0) continue;
    const size = images.reduce((sum, { file }) => sum + file.bytes, 0);
    if (bytes + size > MAX_REQUEST_BYTES) break;
    bytes += size;
    behind.set(last, images);
  }
  return { behind, bytes };
}

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
