import { type Verdict, headOf } from '#proof/browser';

/** What the page shows. Everything is text. */

const one = (id: string): HTMLElement => {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no ${id}`);
  return element;
};

const SHAPES: Readonly<Record<Verdict['verdict'], string>> = {
  verified: '✓',
  failed: '▲',
  unusable: '■',
};

/** @param name of the file that is looked at; null: none was chosen */
export function clearShown(name: string | null): void {
  one('name').textContent = name ?? 'No file chosen.';
  one('verdict').hidden = true;
  one('progress').textContent = '';
  delete document.body.dataset['verdict'];
}

export function showProgress(read: number, size: number): void {
  one('progress').textContent = `${Math.floor((100 * read) / size)} % read`;
}

export function show(verdict: Verdict, text: string, json: string): void {
  const [, ...rest] = text.split('\n');
  one('progress').textContent = '';
  one('shape').textContent = SHAPES[verdict.verdict];
  one('head').textContent = headOf(verdict);
  one('text').textContent = rest.join('\n').replace(/^\n/, '');
  one('json').textContent = json;
  one('verdict').hidden = false;
  document.body.dataset['verdict'] = verdict.verdict;
}
