import { FileVerifier } from '../file-verifier.js';
import { MAX_INPUT_BYTES, type VerifyInput } from '../trust.js';
import { type Verdict, unusable } from '../verdict.js';
import { isConfirmed } from './confirm.js';

/** What a page is busy with between two waits for the disk: so it stays alive, however large the file is. */
const PIECE_BYTES = 64 * 1024;

/** What goes with a file, as a page has it. */
export interface KeptFiles {
  readonly policy: Blob | null;
  readonly receipts: readonly Blob[];
  /** ISO 8601; '': it does not matter. */
  readonly asOf: string;
  readonly isStrict: boolean;
}

/**
 * Verifies a file that somebody chose, piece by piece.
 * @param goesOn told how many bytes were read; whether the answer is still wanted
 * @returns null: it is not
 */
export async function verifyBlob(
  file: Blob,
  kept: KeptFiles,
  goesOn: (read: number) => boolean,
): Promise<Verdict | null> {
  try {
    const verifier = new FileVerifier(await inputOf(kept));
    for (let at = 0; at < file.size; at += PIECE_BYTES) {
      const piece = new Uint8Array(await file.slice(at, at + PIECE_BYTES).arrayBuffer());
      if (!goesOn(at + piece.length)) return null;
      if (!verifier.push(piece)) break;
    }
    const verdict = verifier.end();
    if (await isConfirmed()) return verdict;
    return unusable('form', "the browser's own Ed25519 says otherwise: take another browser");
  } catch {
    return unusable('form', 'the file cannot be read');
  }
}

const inputOf = async ({ policy, receipts, asOf, isStrict }: KeptFiles): Promise<VerifyInput> => ({
  policy: policy === null ? undefined : await smallFile(policy),
  receipts: await Promise.all(receipts.map(smallFile)),
  asOf: asOf.trim() || undefined,
  isStrict,
});

/** One byte more than may be used, so that a longer one shows. */
const smallFile = async (file: Blob): Promise<Uint8Array> =>
  new Uint8Array(await file.slice(0, MAX_INPUT_BYTES + 1).arrayBuffer());
