import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { RowsBefore, heightBefore } from './rows-before.js';
import { HeadOfRun, LogRow, rowId } from './log-row.js';
import type { SessionModel } from './model.js';
import { HEAD_PX, followTo, heightOf, rem, scrollTo, topOfRow, windowOf } from './window.js';

interface Box {
  readonly current: HTMLDivElement | null;
}

/** How much larger than usual text is: rows are as high as theirs. */
const textScale = (): number => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;

/** A log of any length: only the rows that are seen are drawn. */
export function LogGrid({ model }: { readonly model: SessionModel }) {
  const scroller = useRef<HTMLDivElement>(null);
  const own = useRef<HTMLDivElement>(null);
  const { top, height, scale } = useWindowOn(scroller, own);
  useRowInSight(model, scroller, { height: height.value, scale: scale.value });
  const { rows, heads, rowOf } = model.log.value.rows;
  const { runs } = model.store.story;
  const before = heightBefore(model.rowsBefore.value);
  const { from, to, heads: shown, sticky } = windowOf(heads, rows.length, top.value - before, height.value);
  const at = model.at.value;
  const row = rowOf[at] ?? -1;
  return (
    <div
      class="scroller"
      ref={scroller}
      onScroll={(event) => (top.value = event.currentTarget.scrollTop / scale.value)}
    >
      <div class="stick">
        {sticky !== null && <HeadOfRun model={model} run={runs.get(sticky.run)} top={null} />}
      </div>
      <RowsBefore parts={model.rowsBefore.value} top={top.value} height={height.value} />
      <div class="own" ref={own}>
        <div
          role="grid"
          aria-label="Log"
          aria-rowcount={rows.length}
          aria-colcount={5}
          aria-activedescendant={row >= from && row < to ? rowId(row) : undefined}
          aria-busy={model.store.head.value > model.last.value}
          tabIndex={0}
          class="grid"
          style={{ height: rem(heightOf(heads, rows.length)) }}
          onKeyDown={(event) => onGridKey(event, model)}
        >
          {rows.slice(from, to).map((of, n) => (
            <LogRow
              key={from + n}
              model={model}
              row={of}
              index={from + n}
              top={topOfRow(heads, from + n)}
              isAt={from + n === row}
              isAfter={of.kind === 'event' ? of.from > at : of.told.event > at}
            />
          ))}
        </div>
        <div class="run-heads">
          {shown.map((head) => (
            <HeadOfRun
              key={head.at}
              model={model}
              run={runs.get(head.run)}
              top={topOfRow(heads, head.at) - HEAD_PX}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** What of the rows is in sight: from where, and how much, in px of text of the usual size. */
function useWindowOn(scroller: Box, rows: Box) {
  const top = useSignal(0);
  const height = useSignal(600);
  const scale = useSignal(1);
  useEffect(() => {
    const box = scroller.current;
    if (box === null || rows.current === null) return;
    const seen = new ResizeObserver(() => {
      scale.value = textScale();
      height.value = box.clientHeight / scale.value;
      top.value = box.scrollTop / scale.value;
    });
    // The rows, too: they grow with the text, their window does not.
    for (const element of [box, rows.current]) seen.observe(element);
    return () => seen.disconnect();
  }, []);
  return { top, height, scale };
}

/**
 * The row that is looked at is seen; a log that is read elsewhere stays where it is, unless one goes somewhere.
 * @param shown how much of the log is in sight, 0: it is not shown; how large its text is
 */
function useRowInSight(
  model: SessionModel,
  scroller: Box,
  { height, scale }: { readonly height: number; readonly scale: number },
): void {
  const { value: row } = model.row;
  const isLive = model.isLive.value;
  const seen = useRef({ row: -1, before: 0, scale: 0 });
  const count = model.log.value.rows.rows.length;
  const before = heightBefore(model.rowsBefore.value);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null || row < 0 || height === 0) return;
    const { heads } = model.log.value.rows;
    if (isLive) {
      const to = followTo(heads, row, box.clientHeight / scale) + before;
      box.scrollTop = Math.min(to * scale, box.scrollHeight - box.clientHeight);
    } else if (seen.current.row !== row || seen.current.before !== before || seen.current.scale !== scale) {
      const to = scrollTo(heads, row, box.scrollTop / scale - before, box.clientHeight / scale);
      if (to !== null) box.scrollTop = (to + before) * scale;
    }
    seen.current = { row, before, scale };
    // Whoever follows the end sees it also when what is above the log has grown.
  }, [row, isLive, isLive ? count : 0, model.rowsMode.value, before, scale, isLive ? height : height > 0]);
}

/** To the last event of the row that stands so many rows further; a row of another stream is passed over. */
export function stepRows(model: SessionModel, by: number): void {
  const { rows, rowOf } = model.log.value.rows;
  const from = rowOf[model.at.value] ?? -1;
  const way = Math.sign(by);
  let at = Math.max(0, Math.min(from + by, rows.length - 1));
  while (rows[at]?.kind === 'told') at += way;
  const row = rows[at];
  if (row?.kind === 'event' && at !== from) model.seek(row.to);
}

const PAGE_ROWS = 15;

function onGridKey(event: KeyboardEvent, model: SessionModel): void {
  const count = model.log.value.rows.rows.length;
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE_ROWS, PageUp: -PAGE_ROWS, Home: -count, End: count }[
    event.key
  ];
  if (by !== undefined) {
    event.preventDefault();
    stepRows(model, by);
  } else if (event.key === 'Enter') {
    event.preventDefault();
    model.tab.value = 'Event';
  }
}
