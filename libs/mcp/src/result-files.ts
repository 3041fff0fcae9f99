import { createHash } from 'node:crypto';
import { isShownImage } from '#domain';
import { cleanText, percentDecoded } from '#platform';
import type { ToolFile } from '#agent';
import { mediaTypeOf } from './media-type.js';
import type { SecretMask } from './secret-mask.js';

/** Of one result. */
const MAX_FILES = 25;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_NAME_CHARS = 200;
const MAX_TYPE_CHARS = 100;
const FALLBACK_TYPE = 'application/octet-stream';

/** What a block of a result says of its file; nothing of it need be true. */
interface SaidFile {
  readonly data: unknown;
  readonly mimeType: unknown;
  readonly uri?: unknown;
}

/** Gathers the images, the audio and the binary resources of one result. Owns their bytes until they are stored. */
export class ResultFiles {
  /** Kinds of content that the agent does not see. */
  readonly unseen = new Set<string>();
  private readonly byId = new Map<string, ToolFile>();
  private count = 0;

  /** @param session in whose files they will lie: their ids are derived from it */
  constructor(
    private readonly session: string,
    private readonly mask: SecretMask,
  ) {}

  get files(): readonly ToolFile[] {
    return [...this.byId.values()];
  }

  /** Takes a file, and says in what is told of it: its type, its size, and the id that it is kept under. */
  take(kind: string, { data, mimeType, uri }: SaidFile): string {
    const said = typeof mimeType === 'string' ? mimeType : '';
    const text = typeof data === 'string' ? data : '';
    const size = sizeOfBase64(text);
    const bytes = this.count < MAX_FILES && size <= MAX_BYTES ? bytesOfBase64(text) : null;
    if (bytes === null) {
      this.unseen.add(kind);
      return `${said === '' ? '' : `, ${said}`}, ${size} bytes, not kept`;
    }
    this.count++;
    const mediaType = mediaTypeOf(bytes) ?? this.typeAsSaid(said) ?? FALLBACK_TYPE;
    if (!isShownImage(mediaType, bytes.length)) this.unseen.add(kind);
    const name = typeof uri === 'string' ? this.nameIn(uri) : '';
    const id = fileIdOf(this.session, bytes);
    if (!this.byId.has(id)) this.byId.set(id, { id, bytes, mediaType, ...(name === '' ? {} : { name }) });
    return `, ${mediaType}, ${bytes.length} bytes, ${id}`;
  }

  private typeAsSaid(said: string): string | null {
    const type = this.mask.cleanBeginning(said, MAX_TYPE_CHARS).toLowerCase();
    return /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(type) ? type : null;
  }

  /** The last part of its address. */
  private nameIn(uri: string): string {
    // Masked before it is taken apart: a secret may hold what it is parted at.
    const last = this.mask.clean(uri).split(/[?#]/)[0]?.split('/').at(-1) ?? '';
    return cleanText(this.mask.cleanBeginning(percentDecoded(last), MAX_NAME_CHARS)).slice(0, MAX_NAME_CHARS);
  }
}

/** The same content in the same session is the same file, and elsewhere another one. */
export const fileIdOf = (session: string, bytes: Uint8Array): string =>
  `file_${createHash('sha256').update(`${session}\0`).update(bytes).digest('hex').slice(0, 24)}`;

function sizeOfBase64(text: string): number {
  return Math.floor((text.replace(/(?<!=)=+$/, '').length * 3) / 4);
}

/** Null where it is empty, or no base64 (RFC 4648, either alphabet, padded or not). */
function bytesOfBase64(text: string): Buffer | null {
  if (text === '' || /[^A-Za-z0-9+/_=-]/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  // What stands behind a padding is not read.
  return bytes.length > 0 && bytes.length === sizeOfBase64(text) ? bytes : null;
}
