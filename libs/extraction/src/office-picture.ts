import type { Block } from './passage.js';
import { type ImageKind, imageSizeOf } from './image-size.js';
import { kindOf } from './kinds.js';
import { hasTime, spending } from './ocr.js';
import { readPicture } from './picture.js';
import { UnreadableFile } from './unreadable-file.js';
import type { Warn } from './warnings.js';

/** Smaller ones are logos, lines and bullets. */
const LEAST_SIDE = 100;
const LEAST_PIXELS = 40_000;

/** What can be recognised in a picture of an Office file. */
export async function* pictureBlocks(
  bytes: Uint8Array,
  part: string,
  page: number | null,
  warn: Warn,
): AsyncGenerator<Block> {
  const name = part.slice(part.lastIndexOf('/') + 1);
  const kind = kindOf(bytes);
  if (!isImage(kind))
    return warn('unreadable_picture', `${name} is a picture of a kind that is not read`, page);
  const size = imageSizeOf(kind, bytes);
  if (
    size !== null &&
    (Math.min(size.width, size.height) < LEAST_SIDE || size.width * size.height < LEAST_PIXELS)
  )
    return;
  if (!hasTime()) return warn('limit', 'pictures take too long to read: not all of them were', page);
  try {
    for (const text of await spending(() => readPicture(kind, bytes))) yield { text, page };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    warn('unreadable_picture', `${name}: ${error.reason}`, page);
  }
}

const isImage = (kind: string): kind is ImageKind => kind === 'png' || kind === 'jpeg' || kind === 'webp';
