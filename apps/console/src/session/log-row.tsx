import { capitalised } from '../parts/status-looks.js';
import { Icon } from '../parts/icon.js';
import { StatusWord } from '../parts/status.js';
import { duration } from '../parts/format.js';
import { Money } from '../parts/values.js';
import { useKeyNames } from '../conversation/key-names.js';
import { visible } from '../conversation/visible.js';
import { formatDollars } from '#domain/browser';
import { isPiece } from './lanes.js';
import type { LogEvent } from './log-event.js';
import type { SessionModel } from './model.js';
import type { RunStory, Story } from './story.js';
import { iconOf } from './row-icon.js';
import type { EventRow, Row, ToldRow } from './rows.js';
import { summaryOf, toldText } from './summary.js';
import { counted, grouped, oneLine } from './text.js';
import { HEAD_PX, ROW_PX, offsetText, rem } from './window.js';
import type { NameOfKey, Summary } from './words.js';

/** Enough of a text for a row. */
const SHOWN_CHARS = 200;

interface RowProps {
  readonly model: SessionModel;
  readonly row: Row;
  readonly index: number;
  readonly top: number;
  readonly isAt: boolean;
  readonly isAfter: boolean;
}

export const rowId = (index: number): string => `log-row-${index}`;

export function LogRow({ model, row, index, top, isAt, isAfter }: RowProps) {
  const names = ['row', row.kind === 'told' ? 'internal' : `tone-${row.tone}`];
  if (row.kind === 'event' && row.isInternal) names.push('internal');
  if (isAt) names.push('at');
  if (isAfter) names.push('after');
  const go = (): void => {
    const to = row.kind === 'event' ? row.to : row.told.event;
    model.seek(to);
  };
  return (
    <div
      role="row"
      id={rowId(index)}
      class={names.join(' ')}
      aria-rowindex={index + 1}
      aria-selected={isAt}
      style={{ transform: `translateY(${rem(top)})`, height: rem(ROW_PX) }}
      onClick={go}
    >
      {row.kind === 'event' ? (
        <EventCells part={model.store} row={row} />
      ) : (
        <ToldCells model={model} row={row} />
      )}
    </div>
  );
}

/** A log with its story: of the session, or of one that it goes on from. */
export interface LogPart {
  readonly events: readonly LogEvent[];
  readonly story: Story;
}

/** @param isInGrid it is one of the log's own rows */
export function EventCells({
  part,
  row,
  isInGrid = true,
}: {
  readonly part: LogPart;
  readonly row: EventRow;
  readonly isInGrid?: boolean;
}) {
  const { events, story } = part;
  const event = events[row.from];
  const nameOf = useKeyNames();
  if (event === undefined) return null;
  const { text, note, hover } =
    row.to === row.from ? summaryOf(event, row.from, story, nameOf) : blockSummary(part, row, nameOf);
  return (
    <Cells
      id={grouped(row.from)}
      offset={offsetText(event.time - beganAt(part, row))}
      type={row.type}
      tone={row.tone}
      text={text}
      note={note}
      {...(hover === undefined ? {} : { hover })}
      isInGrid={isInGrid}
    />
  );
}

function ToldCells({ model, row }: { readonly model: SessionModel; readonly row: ToldRow }) {
  const { told } = row;
  return (
    <Cells
      id=""
      offset={offsetText(told.time - beganAt(model.store, row))}
      type="told"
      tone={told.status === 'delivered' ? 'plain' : 'bad'}
      text={toldText(row, model.store.story)}
      note={told.attempts === 1 ? 'first attempt' : counted(told.attempts, 'attempt')}
    />
  );
}

interface CellsProps extends Summary {
  readonly id: string;
  readonly offset: string;
  readonly type: string;
  readonly tone: string;
  readonly isInGrid?: boolean;
}

/** Id, Offset, Type, Summary, Note. */
function Cells({ id, offset, type, tone, text, note, hover, isInGrid = true }: CellsProps) {
  const role = isInGrid ? 'gridcell' : undefined;
  return (
    <>
      <span role={role} class="id">
        {id}
      </span>
      <span role={role} class="t">
        {offset}
      </span>
      <span role={role} class="ty">
        <Icon name={iconOf(type, tone)} />
        {type}
      </span>
      <span role={role} class="x" dir="auto">
        {visible(text)}
      </span>
      <span role={role} class="n" dir="auto" title={hover}>
        {visible(note)}
      </span>
    </>
  );
}

/** When the run was asked for whose head the row stands under, whatever its own is: offsets rise with the rows. */
function beganAt({ events, story }: LogPart, { under }: Row): number {
  const from = under === null ? 0 : (story.runs.get(under)?.from ?? 0);
  return events[from]?.time ?? 0;
}

/** The text of a block from its pieces, and how many there are. */
function blockSummary({ events, story }: LogPart, row: EventRow, nameOf: NameOfKey): Summary {
  const [first, last] = [events[row.from], events[row.to]];
  if (first === undefined || last === undefined) return { text: '', note: '' };
  if (!isPiece(row.type)) return summaryOf(last, row.to, story, nameOf);
  let text = '';
  for (let at = row.from + 1; at <= row.to && text.length < SHOWN_CHARS; at++) {
    const piece = events[at];
    if (piece?.type !== row.type || piece.run !== first.run) continue;
    const said = summaryText(piece, at, story);
    // What is erased is so once.
    if (piece.data !== null || text !== said) text += said;
  }
  const note = row.pieces === 1 ? '' : `${grouped(row.pieces)} pieces, ${duration(last.time - first.time)}`;
  return { text: oneLine(text), note };
}

function summaryText(event: LogEvent, at: number, story: Story): string {
  const { content } = (event.data ?? {}) as { readonly content?: unknown };
  return typeof content === 'string' ? content : summaryOf(event, at, story, String).text;
}

interface HeadProps {
  readonly model: SessionModel;
  /** Of the head; undefined: its request is not there yet. */
  readonly run: RunStory | undefined;
  /** null: it stays where it is. */
  readonly top: number | null;
}

/** Over the rows of a run: which it is, with what it was asked, how it stands and what it cost. */
export function HeadOfRun({ model, run, top }: HeadProps) {
  const { events } = model.store;
  void model.store.replaced.value;
  const nameOf = useKeyNames();
  if (run === undefined) return null;
  const asked = events[run.from];
  const request = asked?.known;
  const { mode = '', model: name = '', trigger = '' } = request?.type === 'run_requested' ? request.data : {};
  const took = duration((events[run.to]?.time ?? 0) - (events[run.from]?.time ?? 0));
  const how = asked?.data === null ? '' : `${mode}, ${name}, ${trigger} `;
  const by = visible(`${how}by ${nameOf(asked?.actor ?? '')}`);
  return (
    <div
      class="run-head"
      style={{ ...(top === null ? {} : { transform: `translateY(${rem(top)})` }), height: rem(HEAD_PX) }}
    >
      <StatusWord status={run.status} word={`Run ${run.ordinal}`} />
      <bdi class="x">{by}</bdi>
      <span class="n">
        {`${capitalised(run.status)}, ${took}`}
        {!(model.store.state.value === 'erased' && run.cost === 0n) && (
          <>
            {', '}
            <Money amount={formatDollars(run.cost)} />
          </>
        )}
      </span>
    </div>
  );
}
