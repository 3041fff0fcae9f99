import type { Block } from './passage.js';

const MAX_CELL = 2_000;

/** A table's rows, each saying what its columns are called: a row alone must make sense where it is found. */
export function* tableBlocks(rows: readonly (readonly string[])[], page: number | null): Generator<Block> {
  const titles = titleRows(rows);
  for (const row of rows.slice(0, titles)) yield { text: row.join(''), page };
  yield* namedRows(rows.slice(titles), page);
}

function* namedRows(rows: readonly (readonly string[])[], page: number | null): Generator<Block> {
  const [header = [], ...rest] = rows;
  if (!isHeader(header) || rest.length === 0) {
    for (const row of rows) yield { text: row.filter((cell) => cell !== '').join(' | '), page };
    return;
  }
  yield { text: header.join(' | '), page };
  for (const row of rest) {
    const cells = row.flatMap((cell, i) => (cell === '' ? [] : [named(header[i], cell.slice(0, MAX_CELL))]));
    if (cells.length > 0) yield { text: cells.join(' | '), page };
  }
}

const named = (name: string | undefined, cell: string): string =>
  name === undefined || name === '' ? cell : `${name}: ${cell}`;

/** Of a table of several columns, the lines above it that have one cell: what it is called. */
function titleRows(rows: readonly (readonly string[])[]): number {
  const first = rows.findIndex((row) => row.filter((cell) => cell !== '').length > 1);
  return Math.max(0, first);
}

/** Names are short, not numbers, and not twice the same. */
const isHeader = (row: readonly string[]): boolean =>
  row.length > 0 &&
  row.every((cell) => cell.length <= 60 && !/^[-+(]?\d[\d.,:/\- ]*\)?%?$/.test(cell)) &&
  new Set(row).size === row.length;
