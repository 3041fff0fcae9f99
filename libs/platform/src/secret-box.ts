import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const NONCE = 12;
const TAG = 16;

/** The text was sealed with another key or for another context, or it was changed. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

/**
 * Encrypts secrets at rest: AES-256-GCM (NIST SP 800-38D) under a key derived from the master key, with a
 * random 96-bit nonce and the context as associated data. Format: `v1.<key id>.<base64url of nonce,
 * ciphertext, tag>`.
 */
export class SecretBox {
  /** A KeyObject, for with plain bytes Node 24 takes 10 µs longer for each use. */
  private readonly sealing: KeyObject;
  /** Identifies the master key without revealing anything of it. */
  readonly keyId: string;

  constructor(private readonly masterKey: Buffer) {
    if (masterKey.length !== 32) throw new RangeError('a master key has 32 bytes');
    this.sealing = createSecretKey(this.derive('annals/seal/v1'));
    this.keyId = createHash('sha256').update(this.derive('annals/key-id/v1')).digest('hex').slice(0, 16);
  }

  /** `context` says what the text is and whose, e.g. `apikey:<id>:webhook_secret`; open asks for the same. */
  seal(text: string, context: string): string {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv('aes-256-gcm', this.sealing, nonce).setAAD(Buffer.from(context));
    const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v1.${this.keyId}.${bytes.toString('base64url')}`;
  }

  /** @throws SealBroken */
  open(sealed: string, context: string): string {
    const [version, keyId, encoded] = sealed.split('.');
    if (version !== 'v1' || encoded === undefined) throw new SealBroken('this is not a sealed text');
    if (keyId !== this.keyId) throw new SealBroken(`sealed with another key (${keyId})`);
    const bytes = Buffer.from(encoded, 'base64url');
    if (bytes.length < NONCE + TAG) throw new SealBroken('the sealed text is cut off');
    const decipher = createDecipheriv('aes-256-gcm', this.sealing, bytes.subarray(0, NONCE), {
      authTagLength: TAG,
    })
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(-TAG));
    try {
      return decipher.update(bytes.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new SealBroken('the sealed text was changed, or sealed for something else', { cause: error });
    }
  }

  /** 32 bytes for another purpose (HKDF-SHA-256, RFC 5869): the same for the same master key. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.masterKey, 'annals', purpose, 32));
  }
}

/** The secret that signs the operator's callbacks where none is set. */
export const derivedWebhookSecret = (box: SecretBox): string =>
  `whsec_${box.derive('annals/webhook-secret/v1').toString('base64')}`;
