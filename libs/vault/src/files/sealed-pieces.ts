import { type FileHandle, open } from 'node:fs/promises';
import { FileMissing } from './file-store.js';
import { ContentChanged, type ContentKey, SEAL_BYTES } from '#event-log';

/** Plaintext bytes of a chunk; only the last may be shorter. */
const PIECE_BYTES = 64 * 1024;

/**
 * Streaming encryption in chunks. Each is sealed with its number and whether it is the last, so that removal,
 * reordering and truncation are detected.
 */
export class PieceSealer {
  private readonly waiting = Buffer.allocUnsafeSlow(PIECE_BYTES);
  private filled = 0;
  private count = 0;

  constructor(private readonly key: ContentKey) {}

  *push(piece: Uint8Array): Generator<Buffer> {
    for (let at = 0; at < piece.length;) {
      if (this.filled === PIECE_BYTES) yield this.seal(false);
      const taken = piece.subarray(at, at + PIECE_BYTES - this.filled);
      this.waiting.set(taken, this.filled);
      this.filled += taken.length;
      at += taken.length;
    }
  }

  /** The last chunk. Call once, after everything was pushed. */
  last(): Buffer {
    return this.seal(true);
  }

  private seal(isLast: boolean): Buffer {
    const sealed = this.key.seal(this.waiting.subarray(0, this.filled), contextOf(this.count, isLast));
    this.count += 1;
    this.filled = 0;
    return sealed;
  }
}

/**
 * Decrypts a file of sealed chunks into memory.
 * @throws FileMissing where it is damaged
 */
export async function openPieces(path: string, key: ContentKey): Promise<Uint8Array> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const pieces = Math.max(1, Math.ceil(size / (PIECE_BYTES + SEAL_BYTES)));
    const content = new Uint8Array(Math.max(0, size - pieces * SEAL_BYTES));
    const sealed = Buffer.allocUnsafe(PIECE_BYTES + SEAL_BYTES);
    for (let n = 0; n < pieces; n++) {
      const filled = await fill(sealed, handle, n * sealed.length);
      content.set(key.open(sealed.subarray(0, filled), contextOf(n, n === pieces - 1)), n * PIECE_BYTES);
    }
    return content;
  } catch (error) {
    if (!(error instanceof ContentChanged)) throw error;
    throw new FileMissing(`${path} is damaged`, { cause: error });
  } finally {
    await handle.close();
  }
}

/** How much the file holds from there on, up to a whole buffer. */
async function fill(buffer: Buffer, handle: FileHandle, from: number): Promise<number> {
  for (let filled = 0; ;) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, from + filled);
    filled += bytesRead;
    if (bytesRead === 0 || filled === buffer.length) return filled;
  }
}

const contextOf = (n: number, isLast: boolean): string => `piece ${n}${isLast ? ', the last' : ''}`;
