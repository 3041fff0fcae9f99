import { type Content, type FileRef, UNREADABLE_TEXT, isFileRef, type SessionId } from '#domain';
import { FileDamaged, type FileStore } from './file-store.js';

/** JSON bytes of content that may stand in an event: base64 of the sealed event stays under the limit. */
const MAX_INLINE_BYTES = 96 * 1024;

/** Of an object beside content in the same event: together they have to fit. */
const MAX_INLINE_OBJECT_BYTES = 24 * 1024;

/** Keeps content that is too large for an event in the file store of its session. */
export class ContentStore {
  constructor(private readonly files: FileStore) {}

  /** The content as an event may hold it; on disk before this resolves. */
  async store(session: SessionId, text: string): Promise<Content> {
    return fitsInline(text) ? text : this.toFile(session, text);
  }

  /** The same where there is no room in the event, however short the text. */
  async toFile(session: SessionId, text: string): Promise<FileRef> {
    const bytes = Buffer.from(text, 'utf8');
    return { $file: await this.files.put(session, bytes), bytes: bytes.length };
  }

  /** The same for what stands beside the content of an event, which may be as large as any. */
  async storeBeside(session: SessionId, text: string): Promise<Content> {
    return Buffer.byteLength(JSON.stringify(text)) <= MAX_INLINE_OBJECT_BYTES
      ? text
      : this.toFile(session, text);
  }

  /** The same for an object, whose fields are a part of an event. */
  async storeObject<T extends object>(session: SessionId, value: T): Promise<T | FileRef> {
    const text = JSON.stringify(value);
    return Buffer.byteLength(text) <= MAX_INLINE_OBJECT_BYTES ? value : this.toFile(session, text);
  }

  /** What storeObject was given. */
  async object<T extends object>(session: SessionId, stored: T | FileRef): Promise<T> {
    return isFileRef(stored) ? (JSON.parse(await this.text(session, stored)) as T) : stored;
  }

  async text(session: SessionId, content: Content): Promise<string> {
    if (!isFileRef(content)) return content;
    return Buffer.from(await this.files.get(session, content.$file)).toString('utf8');
  }

  /** The same for who reads on whatever it says: where the file does not open, a text that says so. @throws FileMissing */
  async textOrNote(session: SessionId, content: Content): Promise<string> {
    try {
      return await this.text(session, content);
    } catch (error) {
      if (error instanceof FileDamaged) return UNREADABLE_TEXT;
      throw error;
    }
  }
}

export const fitsInline = (text: string): boolean =>
  text.length < MAX_INLINE_BYTES / 6 || Buffer.byteLength(JSON.stringify(text)) <= MAX_INLINE_BYTES;
