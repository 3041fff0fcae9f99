import type { FileRef } from './content.js';

/** A file of a tool result. Its bytes lie in the files of the session. */
export interface ResultFile {
  /** Derived from session and content. */
  readonly id: string;
  readonly file: FileRef;
  readonly media_type: string;
  /** The name by which the model called it. */
  readonly tool: string;
  readonly name?: string;
}

/** What models that can see take. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** Whether a model that can see is shown a file of this kind. */
export const isShownImage = (mediaType: string, bytes: number): boolean =>
  IMAGE_TYPES.has(mediaType) && bytes <= MAX_IMAGE_BYTES;

/** Those of a result that the model is shown, in their order. */
export const shownImages = (files: readonly ResultFile[] = []): readonly ResultFile[] =>
  files.filter(({ media_type: type, file }) => isShownImage(type, file.bytes));
