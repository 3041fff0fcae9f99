import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { Bdi } from '../conversation/bdi.js';
import { Link } from '../app/link.js';
import { sessionPath } from '../lists/path.js';
import { Button } from '../parts/controls.js';
import { duration } from '../parts/format.js';
import { useKeyNames } from '../conversation/key-names.js';
import { pageStarts } from '../parts/weighed-pages.js';
import { Duration, Money, Said } from '../parts/values.js';
import { type Axis, axisOf } from '../session/axis.js';
import { ticksOf } from './ticks.js';
import { type Bar, type WaterfallRow, tookMs } from './waterfall.js';
import type { Note } from './waterfall-row.js';

interface WaterfallTableProps {
  readonly session: string;
  readonly rows: readonly WaterfallRow[];
  /** Of its events. */
  readonly times: readonly number[];
  /** Up to when it is drawn, in ms since 1970. */
  readonly end: number;
}

/** Nodes of rows that stand in the page at a time, however long the run is: what stands beside it needs as many again. */
const MOST_NODES = 650;
/** Of a row, without its bars and notes. */
const ROW_NODES = 10;

/** A run on one axis: each row leads to its events. */
export function WaterfallTable({ session, rows, times, end }: WaterfallTableProps) {
  const [wanted, setWanted] = useState(0);
  const start = times[0] ?? end;
  const axis = axisOf(times, 'time', end);
  const weights = rows.map(({ bars, notes }) => ROW_NODES + bars.length + notes.length + axis.gaps.length);
  const starts = pageStarts(weights, MOST_NODES);
  const page = Math.min(wanted, Math.max(0, starts.length - 1));
  const [first, after] = [starts[page] ?? 0, starts[page + 1] ?? rows.length];
  return (
    <>
      {first > 0 && (
        <Button small onClick={() => setWanted(page - 1)}>
          {`Show earlier rows (${first})`}
        </Button>
      )}
      <table role="table" class="waterfall" aria-label="Waterfall">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              What
            </th>
            <th role="columnheader" scope="col">
              <span class="away">When</span>
              <Ticks axis={axis} start={start} end={end} />
            </th>
            <th role="columnheader" scope="col" class="end">
              Took
            </th>
            <th role="columnheader" scope="col">
              Note
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.slice(first, after).map((row, n) => (
            <Row key={`${row.event} ${first + n}`} of={row} session={session} axis={axis} end={end} />
          ))}
        </tbody>
      </table>
      {after < rows.length && (
        <Button small onClick={() => setWanted(page + 1)}>
          {`Show later rows (${rows.length - after})`}
        </Button>
      )}
    </>
  );
}

const percent = (share: number): string => `${Math.round(share * 10_000) / 100}%`;

const Ticks = ({
  axis,
  start,
  end,
}: {
  readonly axis: Axis;
  readonly start: number;
  readonly end: number;
}) => (
  <span class="ticks" aria-hidden="true">
    {ticksOf(axis, start, end).map(({ ms, at }) => (
      <span key={ms} style={{ left: percent(at) }}>
        {ms === 0 ? '0 s' : duration(ms)}
      </span>
    ))}
    {axis.gaps.map(({ from, to, ms }) => (
      <i
        key={from}
        class="notch"
        style={{ left: percent((from + to) / 2) }}
        title={`${duration(ms)} left out`}
      />
    ))}
  </span>
);

interface RowProps {
  readonly of: WaterfallRow;
  readonly session: string;
  readonly axis: Axis;
  readonly end: number;
}

function Row({ of, session, axis, end }: RowProps) {
  const { name, depth, event, kind, tone, bars, notes } = of;
  return (
    <tr role="row" class={tone === 'plain' ? undefined : `tone-${tone}`}>
      <td role="cell" class={kind === 'tool' ? 'what mono' : 'what'} style={{ '--depth': depth }}>
        <Link href={sessionPath(session, event)}>
          <Bdi text={name} />
        </Link>
      </td>
      <td role="cell" class="when">
        <span class="lane" aria-hidden="true">
          <i class="b span" style={placeOf({ start: of.start, end: of.end }, axis, end)} />
          {bars.map((bar) => (
            <i key={bar.start} class={`b ${bar.kind}`} style={placeOf(bar, axis, end)} />
          ))}
          {axis.gaps.map(({ from, to }) => (
            <i key={from} class="notch" style={{ left: percent((from + to) / 2) }} />
          ))}
        </span>
      </td>
      <td role="cell" class="end" data-label="Took">
        <Took of={of} />
      </td>
      <td role="cell" class="told" data-label="Note">
        {notes.map((note, n) => (
          <Fragment key={n}>
            {n > 0 && ', '}
            <NoteWords of={note} />
          </Fragment>
        ))}
      </td>
    </tr>
  );
}

function NoteWords({ of: note }: { readonly of: Note }) {
  const nameOf = useKeyNames();
  if (typeof note === 'string') return <Said text={note} />;
  return 'cost' in note ? (
    <Money amount={note.cost} />
  ) : (
    <Said text={`${note.decision}, by ${nameOf(note.by)}`} />
  );
}

function Took({ of }: { readonly of: WaterfallRow }) {
  if (of.isUntold) return <span class="none-there">–</span>;
  const ms = tookMs(of);
  if (ms !== null) return <Duration ms={ms} />;
  return <span class="dim">{of.bars.at(-1)?.kind === 'wait' ? 'waits' : 'goes on'}</span>;
}

/** Where a bar stands; one that is too short to be seen is as wide as a hair. */
function placeOf({ start, end: until }: Pick<Bar, 'start' | 'end'>, axis: Axis, end: number) {
  const [from, to] = [axis.atTime(start), axis.atTime(until ?? end)];
  return { left: percent(from), width: `max(2px, ${percent(Math.max(0, to - from))})` };
}
