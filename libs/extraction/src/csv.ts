import type { Block } from './passage.js';
import { tableBlocks } from './table.js';

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Rows that are looked at to tell. */
const LOOKED_AT = 20;

/** The delimiter that parts the first rows into the same number of cells, two at least; null: this is no CSV. */
export function csvDelimiterOf(text: string): string | null {
  const head = text.slice(0, 64 * 1024);
  for (const delimiter of DELIMITERS) {
    const rows = [...csvRows(head, delimiter)].slice(0, LOOKED_AT);
    if (rows.length < LOOKED_AT) rows.splice(-1, head.length < text.length ? 1 : 0);
    const [first] = rows;
    if (first === undefined || rows.length < 2 || first.length < 2) continue;
    // Prose has commas, too, but not as many on every line, and not between so short pieces.
    const isEven = rows.every((row) => row.length === first.length);
    const longest = Math.max(...first.map((cell) => cell.length));
    if (isEven && longest <= 100 && !/[.!?:]$/.test(rows[0]?.at(-1) ?? '')) return delimiter;
  }
  return null;
}

export const readCsv = (text: string, delimiter: string): Iterable<Block> =>
  tableBlocks([...csvRows(text, delimiter)], null);

/** RFC 4180, with any delimiter and any line end; a quote that is never closed is a character. */
export function* csvRows(text: string, delimiter: string): Generator<string[]> {
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^${delimiter === '|' ? '\\|' : delimiter}\\r\\n]*))(\\r\\n|\\r|\\n|$|[${delimiter}])`,
    'y',
  );
  let row: string[] = [];
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (match === null) return;
    row.push((match[1]?.replaceAll('""', '"') ?? match[2] ?? '').trim());
    if (match[3] === delimiter) continue;
    if (row.some((one) => one !== '')) yield row;
    row = [];
  }
  if (row.some((one) => one !== '')) yield row;
}
