import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { checkoutState } from './checkout.js';
import { FOLDER, keptFigures } from './figures.js';
import { pageOf } from './page.js';
import { PARTS } from './rows.js';
import { readStories } from './stories.js';

export const PAGE = 'docs/reliability.md';

/** Writes the page from what is kept in `docs/reliability`. */
export function writePage(): void {
  const order = new Map(PARTS.map(({ name }, n) => [name, n]));
  const figures = keptFigures().toSorted((a, b) => (order.get(a.part) ?? 99) - (order.get(b.part) ?? 99));
  const [checkout, stories, date] = [checkoutState(), readStories(), new Date().toISOString()];
  writeFileSync(PAGE, `${pageOf({ parts: PARTS, figures, checkout, stories, date })}\n`);
  // What is kept is formatted like everything else.
  const prettier = ['node_modules/prettier/bin/prettier.cjs', '--write', '--log-level', 'warn'];
  execFileSync(process.execPath, [...prettier, PAGE, FOLDER]);
}
