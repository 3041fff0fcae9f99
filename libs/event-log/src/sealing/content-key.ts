import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  type KeyObject,
  randomFillSync,
} from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const KEY_BYTES = 32;
/** Overhead of encryption: nonce and tag. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES;

/** Decryption failed: another key, changed bytes, or another context. */
export class ContentChanged extends Error {
  override readonly name = 'ContentChanged';
}

// Drawn in bulk: a system call for each nonce costs more than the encryption.
const nonces = Buffer.allocUnsafe(NONCE_BYTES * 512);
let nextNonce = nonces.length;

function freshNonce(): Buffer {
  if (nextNonce === nonces.length) {
    randomFillSync(nonces);
    nextNonce = 0;
  }
  return nonces.subarray(nextNonce, (nextNonce += NONCE_BYTES));
}

/** A content encryption key: AES-256-GCM (NIST SP 800-38D), 96-bit nonces. */
export class ContentKey {
  readonly id: string;
  readonly bytes: Buffer;
  private readonly object: KeyObject;

  /** @param bytes 32 bytes; not copied */
  constructor(id: string, bytes: Uint8Array) {
    if (bytes.length !== KEY_BYTES) throw new RangeError(`a key has ${KEY_BYTES} bytes`);
    this.id = id;
    // Not a piece of Node's pool, 64 KB of which would stay for as long as this key is known.
    this.bytes = Buffer.allocUnsafeSlow(KEY_BYTES);
    this.bytes.set(bytes);
    this.object = createSecretKey(this.bytes);
  }

  /**
   * Returns nonce, ciphertext and tag. `context` is the associated data (what it is and where it stands);
   * `open` needs the same.
   */
  seal(content: string | Uint8Array, context: string, nonce: Uint8Array = freshNonce()): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.object, nonce);
    cipher.setAAD(Buffer.from(context));
    const text = typeof content === 'string' ? cipher.update(content, 'utf8') : cipher.update(content);
    // GCM leaves nothing for the end.
    cipher.final();
    return Buffer.concat([nonce, text, cipher.getAuthTag()]);
  }

  /** @throws ContentChanged */
  open(sealed: Uint8Array, context: string): Buffer {
    if (sealed.length < SEAL_BYTES) throw new ContentChanged('sealed content was cut off');
    const end = sealed.length - TAG_BYTES;
    try {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const cipher = createDecipheriv('aes-256-gcm', this.object, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(end));
      const content = cipher.update(sealed.subarray(NONCE_BYTES, end));
      cipher.final();
      return content;
    } catch (error) {
      throw new ContentChanged('sealed content was changed, or sealed for another place', { cause: error });
    }
  }

  /** Salt of an event's commitment. Given to somebody, it lets them verify this event and no other. */
  saltOf(eventId: string): Buffer {
    return saltUnder(this.bytes, eventId);
  }
}

const OPEN = Buffer.from('open');
const NO_KEY = Buffer.alloc(0);

const saltUnder = (key: Uint8Array, eventId: string): Buffer =>
  hash('sha256', Buffer.concat([key, OPEN, Buffer.from(eventId)]), 'buffer');

/** SHA-256 of salt and plaintext, hex. `key` null: an unencrypted event, whose salt anybody can compute. */
export function commitmentOf(key: ContentKey | null, eventId: string, plaintext: string): string {
  return hash('sha256', Buffer.concat([saltOfEvent(key, eventId), Buffer.from(plaintext)]), 'hex');
}

/** `key` null: an event that names none, whose salt anybody can compute. */
export const saltOfEvent = (key: ContentKey | null, eventId: string): Buffer =>
  key === null ? saltUnder(NO_KEY, eventId) : key.saltOf(eventId);
