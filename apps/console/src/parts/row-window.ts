/** So many rows are in the page at a time, and more only where more are in sight. */
export const MOST_ROWS = 50;

/** What of a list is in the page, from `from` until before `to`, and the room that the rest takes, in px. */
export interface RowWindow {
  readonly from: number;
  readonly to: number;
  readonly abovePx: number;
  readonly belowPx: number;
}

/**
 * The rows that are in the page.
 * @param count of all
 * @param topPx how far the first row is above the window's upper edge; negative: below it
 * @param viewPx the window's height
 * @param rowPx the height of a row, on average
 */
export function windowOf(count: number, topPx: number, viewPx: number, rowPx: number): RowWindow {
  const seen = Math.ceil(viewPx / rowPx) + 1;
  const shown = Math.min(count, Math.max(MOST_ROWS, seen));
  const first = Math.floor(topPx / rowPx) - Math.floor((shown - seen) / 2);
  const from = Math.min(Math.max(0, first), count - shown);
  const to = from + shown;
  return { from, to, abovePx: from * rowPx, belowPx: (count - to) * rowPx };
}
