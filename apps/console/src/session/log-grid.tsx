import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { RowsBefore, heightBefore } from './rows-before.js';
import { HeadOfRun, LogRow, rowId } from './log-row.js';
import type { SessionModel } from './model.js';
import { HEAD_PX, heightOf, scrollTo, topOfRow, windowOf } from './window.js';

/** A log of any length: only the rows that are seen are drawn. */
export function LogGrid({ model }: { readonly model: SessionModel }) {
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  useEffect(() => {
    if (scroller.current === null) return;
    const seen = new ResizeObserver(([entry]) => (height.value = entry?.contentRect.height ?? 600));
    seen.observe(scroller.current);
    return () => seen.disconnect();
  }, []);
  useRowInSight(model, scroller);
  const { rows, heads, rowOf } = model.log.value.rows;
  const before = heightBefore(model.rowsBefore.value);
  const own = top.value - before;
  const { from, to, heads: shown, sticky } = windowOf(heads, rows.length, own, height.value);
  const at = model.at.value;
  const row = rowOf[at] ?? -1;
  return (
    <div class="scroller" ref={scroller} onScroll={(event) => (top.value = event.currentTarget.scrollTop)}>
      <div class="stick">{sticky !== null && <HeadOfRun model={model} head={sticky} top={null} />}</div>
      <RowsBefore parts={model.rowsBefore.value} top={top.value} height={height.value} />
      <div class="own">
        <div
          role="grid"
          aria-label="Log"
          aria-rowcount={rows.length}
          aria-colcount={5}
          aria-activedescendant={row >= from && row < to ? rowId(row) : undefined}
          aria-busy={model.store.head.value > model.last.value}
          tabIndex={0}
          class="grid"
          style={{ height: `${heightOf(heads, rows.length)}px` }}
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
            <HeadOfRun key={head.at} model={model} head={head} top={topOfRow(heads, head.at) - HEAD_PX} />
          ))}
        </div>
      </div>
    </div>
  );
}

/** The row that is looked at is seen; a log that is read elsewhere stays where it is, unless one goes somewhere. */
function useRowInSight(model: SessionModel, scroller: { readonly current: HTMLDivElement | null }): void {
  const { value: row } = model.row;
  const isLive = model.isLive.value;
  const seen = useRef({ row: -1, before: 0 });
  const count = model.log.value.rows.rows.length;
  const before = heightBefore(model.rowsBefore.value);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null || row < 0) return;
    const { heads } = model.log.value.rows;
    if (isLive) {
      box.scrollTop = box.scrollHeight;
    } else if (seen.current.row !== row || seen.current.before !== before) {
      const to = scrollTo(heads, row, box.scrollTop - before, box.clientHeight);
      if (to !== null) box.scrollTop = to + before;
    }
    seen.current = { row, before };
  }, [row, isLive, isLive ? count : 0, model.rowsMode.value, before]);
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
