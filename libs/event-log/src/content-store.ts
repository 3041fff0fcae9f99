import { type Content, isFileRef } from '#domain';
import type { FileStore } from './file-store.js';

/** JSON bytes of content that may stand in an event: base64 of the sealed event stays under the limit. */
const MAX_INLINE_BYTES = 160 * 1024;

/** Keeps content that is too large for an event in the file store of its session. */
export class ContentStore {
  constructor(private readonly files: FileStore) {}

  /** The content as an event may hold it; on disk before this resolves. */
  async store(session: string, text: string): Promise<Content> {
    if (fitsInline(text)) return text;
    const bytes = Buffer.from(text, 'utf8');
    return { $file: await this.files.put(session, bytes), bytes: bytes.length };
  }

  async text(session: string, content: Content): Promise<string> {
    if (!isFileRef(content)) return content;
    return Buffer.from(await this.files.get(session, content.$file)).toString('utf8');
  }
}

export const fitsInline = (text: string): boolean =>
  text.length < MAX_INLINE_BYTES / 6 || Buffer.byteLength(JSON.stringify(text)) <= MAX_INLINE_BYTES;
