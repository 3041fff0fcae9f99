import {
  FileVerifier,
  MAX_INPUT_BYTES,
  type Verdict,
  isConfirmed,
  jsonOf,
  textOf,
  unusable,
} from '#proof/browser';
import { clearShown, show, showProgress } from './show.js';

/** The page of `verify.html`: an export, a policy and receipts are chosen or dropped, and it says what `annals verify` says. */

const one = (id: string): HTMLElement => {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no ${id}`);
  return element;
};
const input = (id: string): HTMLInputElement => one(id) as HTMLInputElement;

/** The newest question: an older one is dropped when its answer comes. */
let asked = 0;
let dropped: File | null = null;

async function verify(): Promise<void> {
  const file = dropped ?? input('export').files?.[0] ?? null;
  clearShown(file?.name ?? null);
  const question = ++asked;
  if (file === null) return;
  const verdict = await verdictOf(file, () => question === asked);
  if (verdict !== null && question === asked) show(verdict, textOf(verdict), jsonOf(verdict));
}

/** null: it is not wanted any more. */
async function verdictOf(file: File, isWanted: () => boolean): Promise<Verdict | null> {
  try {
    const policy = await smallFile(input('policy').files?.[0]);
    const receipts = await Promise.all(Array.from(input('receipts').files ?? [], smallFile));
    const asOf = input('as-of').value.trim() || undefined;
    const verifier = new FileVerifier({
      policy,
      receipts: receipts.filter((receipt) => receipt !== undefined),
      asOf,
      isStrict: input('strict').checked,
    });
    let read = 0;
    for await (const piece of piecesOf(file)) {
      if (!isWanted()) return null;
      read += piece.length;
      showProgress(read, file.size);
      if (!verifier.push(piece)) break;
    }
    const verdict = verifier.end();
    if (await isConfirmed()) return verdict;
    return unusable('form', "the browser's own Ed25519 says otherwise: take another browser");
  } catch {
    return unusable('form', 'the file cannot be read');
  }
}

const PIECE_BYTES = 1024 * 1024;

/** Each waits for the disk, so that the page stays alive. */
async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += PIECE_BYTES)
    yield new Uint8Array(await file.slice(at, at + PIECE_BYTES).arrayBuffer());
}

/** One byte more than may be used, so that a longer one shows. */
async function smallFile(file: File | undefined): Promise<Uint8Array | undefined> {
  return file === undefined
    ? undefined
    : new Uint8Array(await file.slice(0, MAX_INPUT_BYTES + 1).arrayBuffer());
}

for (const id of ['policy', 'receipts', 'as-of', 'strict'])
  one(id).addEventListener('change', () => void verify());
one('export').addEventListener('change', () => {
  dropped = null;
  void verify();
});
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  dropped = event.dataTransfer?.files[0] ?? dropped;
  void verify();
});
