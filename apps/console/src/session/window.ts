import type { RunHead } from './rows.js';

/** Height of a row, and of the head of a run, in px of text of the usual size: they grow with it. */
export const ROW_PX = 28;
export const HEAD_PX = 36;
/** Rows beyond those that are seen, above and below. */
const MORE_ROWS = 4;

/** Such px as they are given to style. */
export const rem = (px: number): string => `${px / 16}rem`;

/** How many heads stand over a row or before it. @param heads in the order of their rows */
function headsUpTo(heads: readonly RunHead[], row: number): number {
  let [low, high] = [0, heads.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((heads[middle]?.at ?? 0) <= row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where a row begins, in px from the top of the log. */
export const topOfRow = (heads: readonly RunHead[], row: number): number =>
  row * ROW_PX + headsUpTo(heads, row) * HEAD_PX;

export const heightOf = (heads: readonly RunHead[], rows: number): number =>
  rows * ROW_PX + heads.length * HEAD_PX;

/** The row at a height; the last one where that is below it. */
export function rowAt(heads: readonly RunHead[], rows: number, y: number): number {
  let [low, high] = [0, Math.max(rows - 1, 0)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (topOfRow(heads, middle) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface Window {
  /** The first row that is drawn, and the one behind the last. */
  readonly from: number;
  readonly to: number;
  /** The heads that are drawn. */
  readonly heads: readonly RunHead[];
  /** The one that stays on top: of the run that the first row seen is of. */
  readonly sticky: RunHead | null;
}

/** What is drawn of a log of so many rows, however long it is. */
export function windowOf(heads: readonly RunHead[], rows: number, top: number, height: number): Window {
  const from = Math.max(rowAt(heads, rows, top) - MORE_ROWS, 0);
  const to = rows === 0 ? 0 : Math.min(rowAt(heads, rows, top + height) + MORE_ROWS + 1, rows);
  const first = rowAt(heads, rows, top);
  const over = headsUpTo(heads, first);
  const shown = heads.slice(Math.max(headsUpTo(heads, from) - 1, 0), headsUpTo(heads, to));
  const sticky = heads[over - 1] ?? null;
  // A head that is seen where it belongs does not stand twice.
  const isSeen = sticky !== null && topOfRow(heads, sticky.at) - HEAD_PX >= top;
  return { from, to, heads: shown, sticky: isSeen ? null : sticky };
}

/** Where to scroll so that a row is seen under a head; null: it is. */
export function scrollTo(heads: readonly RunHead[], row: number, top: number, height: number): number | null {
  const y = topOfRow(heads, row);
  if (y < top + HEAD_PX) return Math.max(y - HEAD_PX - Math.floor(height / 3), 0);
  return y + ROW_PX > top + height ? y + ROW_PX - Math.floor((height * 2) / 3) : null;
}

/**
 * Where to scroll at most so that a row is seen with what is before and behind it: whoever follows the end of a log sees its
 * last event, however much of what others were told stands behind that.
 */
export const followTo = (heads: readonly RunHead[], row: number, height: number): number =>
  Math.max(topOfRow(heads, row) - HEAD_PX - Math.floor(height / 2), 0);

/** ms since the beginning of a run as "0.004", "1.21", "24.7", "2:05", "1:02:05". */
export function offsetText(ms: number): string {
  const s = Math.max(ms, 0) / 1000;
  if (s < 1) return s.toFixed(3);
  if (s < 9.995) return s.toFixed(2);
  if (s < 99.95) return s.toFixed(1);
  const whole = Math.round(s);
  const two = (n: number): string => String(n).padStart(2, '0');
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  return hours === 0 ? `${minutes}:${two(seconds)}` : `${hours}:${two(minutes)}:${two(seconds)}`;
}
