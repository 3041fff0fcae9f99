import type { StreamName } from '../ids.js';
import { createHash } from 'node:crypto';

export const DATASTORE_PREFIX = 'datastore-';
export const DOCUMENT_PREFIX = 'document-';

export const datastoreId = (x: string): string => `ds_${x}`;
export const isDatastoreId = (text: string): boolean => /^ds_[A-Za-z0-9]{1,64}$/.test(text);
export const isDocumentId = (text: string): boolean => /^doc_[0-9a-f]{40}$/.test(text);

/** The same file under the same name in the same datastore is the same document. */
export function documentId(datastore: string, sha256: string, filename: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([datastore, sha256, filename]))
    .digest('hex');
  return `doc_${digest.slice(0, 40)}`;
}

export const datastoreStream = (id: string): StreamName => DATASTORE_PREFIX + id;
export const documentStream = (id: string): StreamName => DOCUMENT_PREFIX + id;

/** Every file system's limit, more or less. */
const MAX_FILENAME_BYTES = 255;

/** What is wrong with the name of an uploaded file, or null. It is a name, not a path. */
export function filenameFault(name: string): string | null {
  if (name === '') return 'needs a file name';
  if (!name.isWellFormed() || name.includes('\u{fffd}')) return 'must have a name in UTF-8';
  if (/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(name))
    return 'must not have control characters in its name';
  if (/[/\\]/.test(name) || name === '.' || name === '..') return 'must have a name without a path';
  if (Buffer.byteLength(name) > MAX_FILENAME_BYTES)
    return `must have a name of at most ${MAX_FILENAME_BYTES} bytes`;
  return null;
}

const MAX_TOOL_NAME = 64;

/** Names for tools as the model's API takes them, each given once. Owns those that it gave. */
export class ToolNames {
  private readonly taken = new Set<string>();

  /** The wish, in letters that are allowed; with a number behind it where it is taken. */
  give(wish: string): string {
    const plain = wish.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, MAX_TOOL_NAME);
    let name = plain;
    for (let n = 2; this.taken.has(name); n++) {
      const suffix = `_${n}`;
      name = plain.slice(0, MAX_TOOL_NAME - suffix.length) + suffix;
    }
    this.taken.add(name);
    return name;
  }
}
