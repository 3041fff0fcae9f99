import { jsonOf, textOf, verifyBlob } from '#proof/browser';
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
  const kept = {
    policy: input('policy').files?.[0] ?? null,
    receipts: Array.from(input('receipts').files ?? []),
    asOf: input('as-of').value,
    isStrict: input('strict').checked,
  };
  const verdict = await verifyBlob(file, kept, (read) => {
    if (question === asked) showProgress(read, file.size);
    return question === asked;
  });
  if (verdict !== null && question === asked) show(verdict, textOf(verdict), jsonOf(verdict));
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
