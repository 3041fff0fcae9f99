import { createHmac } from 'node:crypto';
import { FileDamaged, FileMissing, FileStore } from './file-store.js';
import { ContentChanged, type ContentKey, ContentErased, KeysLost } from '#event-log';

/** Encryption keys of scopes (sessions). */
export interface ScopeKeys {
  /** Id of the scope's key. @throws ContentErased, LogUnavailable */
  keyOf(scope: string): Promise<ContentKey>;
  /** The key of this id; 'destroyed' where it is gone. @throws LogUnavailable */
  get(id: string): Promise<ContentKey | 'destroyed'>;
}

/** First byte of an encrypted file: format version. */
const FORM = 1;
const NONCE_BYTES = 12;

/**
 * Decorator that encrypts files with the key of their scope. Format: a version byte, a byte with the length of the
 * key id, the id, then nonce, ciphertext and tag. The nonce is derived from content and key, so equal content gives
 * the same file.
 */
export class SealedFileStore extends FileStore {
  constructor(
    private readonly files: FileStore,
    private readonly keys: ScopeKeys,
  ) {
    super();
  }

  /** @throws ContentErased */
  override async put(scope: string, content: Uint8Array): Promise<string> {
    const key = await this.keys.keyOf(scope);
    const nonce = createHmac('sha256', key.bytes).update('file nonce').update(content).digest();
    const id = Buffer.from(key.id);
    const sealed = key.seal(content, contextOf(scope), nonce.subarray(0, NONCE_BYTES));
    return this.files.put(scope, Buffer.concat([Buffer.of(FORM, id.length), id, sealed]));
  }

  /** @throws FileMissing, caused by ContentErased where it is erased; FileDamaged; LogUnavailable */
  override async get(scope: string, name: string): Promise<Uint8Array> {
    const file = await this.fileOf(scope, name);
    const end = 2 + (file[1] ?? 0);
    if (file[0] !== FORM) throw new FileDamaged(`file ${name} of ${scope} is not a sealed one`);
    const key = await this.keys.get(Buffer.from(file.subarray(2, end)).toString()).catch(lost(scope, name));
    if (key === 'destroyed') throw erased(scope, name);
    try {
      return key.open(file.subarray(end), contextOf(scope));
    } catch (error) {
      if (!(error instanceof ContentChanged)) throw error;
      throw new FileDamaged(`file ${name} of ${scope} is damaged`, { cause: error });
    }
  }

  /** An erased scope's files are deleted after its key is; a reader in between or later gets FileMissing. */
  private async fileOf(scope: string, name: string): Promise<Uint8Array> {
    try {
      return await this.files.get(scope, name);
    } catch (error) {
      if (!(error instanceof FileMissing)) throw error;
      throw (await this.isErased(scope)) ? erased(scope, name) : error;
    }
  }

  private async isErased(scope: string): Promise<boolean> {
    try {
      await this.keys.keyOf(scope);
      return false;
    } catch (error) {
      if (error instanceof ContentErased) return true;
      throw error;
    }
  }

  override remove(scope: string): Promise<void> {
    return this.files.remove(scope);
  }
}

function erased(scope: string, name: string): FileMissing {
  const cause = new ContentErased(`nothing of ${scope} can be read any more`);
  return new FileMissing(`file ${name} of ${scope} is erased`, { cause });
}

const lost =
  (scope: string, name: string) =>
  (error: unknown): never => {
    if (!(error instanceof KeysLost)) throw error;
    throw new FileDamaged(`the key of file ${name} of ${scope} is lost`, { cause: error });
  };

const contextOf = (scope: string): string => `file of ${scope}`;
