import { hash } from 'node:crypto';
import {
  type Content,
  type ContextCall,
  type FileRef,
  type SessionId,
  type TurnToolCall,
  UNREADABLE_TEXT,
  isFileRef,
} from '#domain';
import { FileDamaged, type FileStore } from './file-store.js';

/** Largest content (JSON bytes) kept inline in an event: encrypted and in base64 it stays under the event limit. */
const MAX_INLINE_BYTES = 96 * 1024;

/** The same for an object beside other content in the same event. */
const MAX_INLINE_OBJECT_BYTES = 24 * 1024;

/** Stores content that is too large for an event in its session's files (claim check). */
export class ContentStore {
  constructor(private readonly files: FileStore) {}

  /** The content to put into an event: inline, or a reference to a file that is durable when this resolves. */
  async store(session: SessionId, text: string): Promise<Content> {
    return fitsInline(text) ? text : this.toFile(session, text);
  }

  /** Stores as a file, however short the text, where the event has no room. */
  async toFile(session: SessionId, text: string): Promise<FileRef> {
    return this.bytesToFile(session, Buffer.from(text, 'utf8'));
  }

  /** Stores what is no text. The file is durable when this resolves. */
  async bytesToFile(session: SessionId, bytes: Uint8Array): Promise<FileRef> {
    const sha256 = hash('sha256', bytes, 'hex');
    return { $file: await this.files.put(session, bytes), bytes: bytes.length, sha256 };
  }

  /** Reads back what `bytesToFile` stored. @throws FileMissing, FileDamaged, LogUnavailable */
  bytes(session: SessionId, file: FileRef): Promise<Uint8Array> {
    return this.files.get(file.session ?? session, file.$file);
  }

  /** As `store`, for content that shares its event with content of any size. */
  async storeBeside(session: SessionId, text: string): Promise<Content> {
    return Buffer.byteLength(JSON.stringify(text)) <= MAX_INLINE_OBJECT_BYTES
      ? text
      : this.toFile(session, text);
  }

  /** As `store`, for an object whose fields are part of an event. */
  async storeObject<T extends object>(session: SessionId, value: T): Promise<T | FileRef> {
    const text = JSON.stringify(value);
    return Buffer.byteLength(text) <= MAX_INLINE_OBJECT_BYTES ? value : this.toFile(session, text);
  }

  /** Reads back what `storeObject` stored. */
  async object<T extends object>(session: SessionId, stored: T | FileRef): Promise<T> {
    return isFileRef(stored) ? (JSON.parse(await this.text(session, stored)) as T) : stored;
  }

  /** @param session of the event; a file of its line is looked for where that names it */
  async text(session: SessionId, content: Content): Promise<string> {
    if (!isFileRef(content)) return content;
    return Buffer.from(await this.files.get(content.session ?? session, content.$file)).toString('utf8');
  }

  /**
   * As `text`, but where the file cannot be decrypted it returns a note that says so.
   * @throws FileMissing
   */
  async textOrNote(session: SessionId, content: Content): Promise<string> {
    try {
      return await this.text(session, content);
    } catch (error) {
      if (error instanceof FileDamaged) return UNREADABLE_TEXT;
      throw error;
    }
  }

  /** Calls with their arguments, read as `textOrNote` does. @throws FileMissing */
  withArguments(session: SessionId, calls: readonly ContextCall[]): Promise<TurnToolCall[]> {
    return Promise.all(
      calls.map(async (call) => ({ ...call, arguments: await this.textOrNote(session, call.arguments) })),
    );
  }
}

export const fitsInline = (text: string): boolean =>
  text.length < MAX_INLINE_BYTES / 6 || Buffer.byteLength(JSON.stringify(text)) <= MAX_INLINE_BYTES;
