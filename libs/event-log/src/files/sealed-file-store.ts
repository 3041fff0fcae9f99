import { createHmac } from 'node:crypto';
import { FileMissing, FileStore } from '../file-store.js';
import { ContentChanged, type ContentKey } from '../keys/content-key.js';

/** Keys of scopes. A scope is a session. */
export interface ScopeKeys {
  /** Id of the scope's key. @throws ContentErased, LogUnavailable */
  keyOf(scope: string): Promise<ContentKey>;
  /** The key of this id; 'destroyed' where it is gone. @throws LogUnavailable */
  get(id: string): Promise<ContentKey | 'destroyed'>;
}

/** First byte of a sealed file: the form of what follows. */
const FORM = 1;
const NONCE_BYTES = 12;

/**
 * Files that are sealed with the key of their scope: a byte for the form, a byte for the length of the key's id, the id, then
 * nonce, ciphertext and tag. The nonce is made of the content under the key, so the same content is the same file.
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

  /** @throws FileMissing, also for what is erased */
  override async get(scope: string, name: string): Promise<Uint8Array> {
    const file = await this.files.get(scope, name);
    const end = 2 + (file[1] ?? 0);
    if (file[0] !== FORM) throw new FileMissing(`file ${name} of ${scope} is not a sealed one`);
    const key = await this.keys.get(Buffer.from(file.subarray(2, end)).toString());
    if (key === 'destroyed') throw new FileMissing(`file ${name} of ${scope} is erased`);
    try {
      return key.open(file.subarray(end), contextOf(scope));
    } catch (error) {
      if (!(error instanceof ContentChanged)) throw error;
      throw new FileMissing(`file ${name} of ${scope} is damaged`, { cause: error });
    }
  }

  override remove(scope: string): Promise<void> {
    return this.files.remove(scope);
  }
}

const contextOf = (scope: string): string => `file of ${scope}`;
