import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MOST_ROWS, type RowWindow, windowOf } from './row-window.js';

/** Of a row that was never seen, in px. */
const GUESS_PX = 37;

/** Keeps a long table short: only what is about where one looks is in the page, however much was loaded. */
export function useRowWindow(count: number, body: RefObject<HTMLElement | null>): RowWindow {
  const rowPx = useRef(GUESS_PX);
  const [shown, setShown] = useState<RowWindow>({
    from: 0,
    to: Math.min(count, MOST_ROWS),
    abovePx: 0,
    belowPx: 0,
  });
  const look = (): void => {
    const element = body.current;
    if (element === null) return;
    const next = windowOf(count, -element.getBoundingClientRect().top, window.innerHeight, rowPx.current);
    setShown((before) => (isSame(before, next) ? before : next));
  };
  // What a row takes is known when some were drawn.
  useLayoutEffect(() => {
    const rows = [...(body.current?.querySelectorAll(':scope > tr[role=row]') ?? [])];
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return;
    rowPx.current =
      (last.getBoundingClientRect().bottom - first.getBoundingClientRect().top) / rows.length || GUESS_PX;
    look();
  }, [count]);
  useEffect(() => {
    if (count <= MOST_ROWS) return;
    document.addEventListener('scroll', look, { passive: true, capture: true });
    window.addEventListener('resize', look);
    return () => {
      document.removeEventListener('scroll', look, { capture: true });
      window.removeEventListener('resize', look);
    };
  }, [count]);
  if (count <= MOST_ROWS) return { from: 0, to: count, abovePx: 0, belowPx: 0 };
  const to = Math.min(shown.to, count);
  return { ...shown, from: Math.min(shown.from, to), to };
}

const isSame = (a: RowWindow, b: RowWindow): boolean =>
  a.from === b.from && a.to === b.to && a.abovePx === b.abovePx && a.belowPx === b.belowPx;
