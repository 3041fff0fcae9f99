import { createHash, type Hmac, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentKey } from '#event-log';
import { FileTooLarge } from './upload-store.js';
import { PieceSealer } from './sealed-pieces.js';

/** Encrypts a stream into a new file of the folder and syncs it. On failure nothing is left. */
export async function writeDraft(
  folder: string,
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
  key: ContentKey,
): Promise<{ path: string; bytes: number; sha256: string }> {
  const path = join(folder, randomBytes(16).toString('hex'));
  const handle = await open(path, 'wx', 0o600);
  try {
    const written = await writePieces(handle, pieces, maxBytes, key);
    await handle.sync();
    return { path, ...written };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

async function writePieces(
  handle: FileHandle,
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
  key: ContentKey,
): Promise<{ bytes: number; sha256: string }> {
  const sealer = new PieceSealer(key);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new FileTooLarge(`the file is larger than ${maxBytes} bytes`);
    hash.update(piece);
    for (const sealed of sealer.push(piece)) await handle.write(sealed);
  }
  await handle.write(sealer.last());
  return { bytes, sha256: hash.digest('hex') };
}

/** Gives the draft a second name: a hard link, or a copy where the file system has none. */
export async function linkDraft(draft: string, file: string): Promise<void> {
  const beside = `${draft}.kept`;
  await link(draft, beside).catch(() => copyFile(draft, beside));
  await rename(beside, file);
}

export async function digestFile(path: string, hash: Hmac): Promise<string> {
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('hex');
}
