import type { SqlResult } from '../callers-database.js';

/** Characters of an answer to the agent, and of one value in it. */
const MAX_TEXT = 60_000;
const MAX_CELL = 5_000;

/** A result as the agent reads it: JSON, cut to what it can take in, and saying so. */
export function resultText({ columns, rows, isCut, changed }: SqlResult): string {
  if (changed !== null && columns.length === 0) return JSON.stringify({ rows_changed: changed });
  const shown: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = JSON.stringify(row.map(shortened));
    if ((length += text.length) > MAX_TEXT) break;
    shown.push(text);
  }
  const hasMore = isCut || shown.length < rows.length;
  const note = hasMore ? `,"note":"only the first ${shown.length} rows; there are more"` : '';
  const count = changed === null ? '' : `,"rows_changed":${changed}`;
  return `{"columns":${JSON.stringify(columns)},"rows":[${shown.join(',')}]${count}${note}}`;
}

function shortened(value: unknown): unknown {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : null;
  if (text === null || text.length <= MAX_CELL) return value;
  return `${text.slice(0, MAX_CELL)}… (${text.length} characters)`;
}
