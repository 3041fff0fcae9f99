import { isPublicType } from '#domain/browser';
import { type Filter, blockOf, isError, isPiece, isShown, isUnknownOutcome } from './lanes.js';
import type { LogEvent } from './log-event.js';
import type { Story } from './story.js';

/** Something that a run's callback was told: a row without an id, for it stands on another stream. */
export interface Told {
  readonly id: string;
  readonly run: string;
  /** The event that was sent. */
  readonly event: number;
  /** ms since 1970: of the last attempt. */
  readonly time: number;
  readonly target: string;
  readonly status: string;
  readonly attempts: number;
  readonly answer: string;
}

/** A row of the log. What is drawn of one is drawn anew where it is another object: one that grows is replaced. */
export interface EventRow {
  readonly kind: 'event';
  /** Index of its first event, which names it. */
  readonly from: number;
  /** Index of its last event so far. */
  readonly to: number;
  /** Pieces that are joined in it. */
  readonly pieces: number;
  readonly type: string;
  readonly isInternal: boolean;
  readonly tone: Tone;
  /** The run whose head it stands under; null: it is above all heads. */
  readonly under: string | null;
}

export interface ToldRow {
  readonly kind: 'told';
  readonly told: Told;
  readonly under: string | null;
}

export type Row = EventRow | ToldRow;
export type Tone = 'plain' | 'tool' | 'wait' | 'end' | 'bad' | 'over';

/** The head of a run stands over the row of this index. */
export interface RunHead {
  readonly run: string;
  readonly at: number;
}

export type RowsMode = 'blocks' | 'every';

/**
 * The rows of a log. Owns them; takes each event once, in order, with the story up to it.
 * 1. Each event is in one row, or in none where it is filtered out: then it counts to the row before it.
 * 2. A block's pieces are in the row of its `_start`, whatever others write between them.
 * 3. A row is never changed, but replaced: components compare what they are given.
 */
export class LogRows {
  readonly rows: Row[] = [];
  readonly heads: RunHead[] = [];
  /** Of each event the index of its row; -1: there is none before it, either. */
  readonly rowOf: number[] = [];
  private readonly open = new Map<string, { readonly block: string; readonly row: number }>();
  private current: string | null = null;
  private hasCurrentEnded = true;

  constructor(
    private readonly mode: RowsMode,
    private readonly filter: Filter,
  ) {}

  push(event: LogEvent, index: number, story: Story): void {
    const row = this.joined(event, index) ?? this.own(event, index, story);
    this.rowOf.push(row);
    if (event.run === this.current && isEnd(event.type)) this.hasCurrentEnded = true;
  }

  /** A delivery stands behind what was there before it. */
  pushTold(told: Told): void {
    if (!this.filter.hidden.has('Told')) this.rows.push({ kind: 'told', told, under: this.current });
  }

  /** Invariants 2 and 3. */
  private joined(event: LogEvent, index: number): number | null {
    if (this.mode === 'every') return null;
    const { run = '', type } = event;
    const open = this.open.get(run);
    if (open?.block !== type) {
      // A piece of text goes on until its run does something else.
      if (event.known?.meta.run === run && !isPiece(type)) this.open.delete(run);
      return null;
    }
    if (!isPiece(type)) this.open.delete(run);
    const row = this.rows[open.row];
    if (row?.kind !== 'event') return null;
    this.rows[open.row] = { ...row, to: index, pieces: row.pieces + (isPiece(type) ? 1 : 0) };
    return open.row;
  }

  private own(event: LogEvent, index: number, story: Story): number {
    const isInternal = event.known !== null && !isPublicType(event.type);
    if (!isShown(event, isInternal, this.filter) && !story.takeOvers.has(index)) return this.rows.length - 1;
    this.headOf(event);
    const block = this.mode === 'blocks' ? blockOf(event.type) : null;
    const at = this.rows.length;
    if (block !== null) this.open.set(event.run ?? '', { block, row: at });
    const type = block ?? event.type;
    const tone = toneOf(event, story.takeOvers.has(index));
    const under = this.current;
    this.rows.push({ kind: 'event', from: index, to: index, pieces: 0, type, isInternal, tone, under });
    return at;
  }

  /** A run that waits while another is under way has its head when it is claimed. */
  private headOf({ type, run }: LogEvent): void {
    if (run === undefined || run === this.current) return;
    const begins = (type === 'run_requested' && this.hasCurrentEnded) || type === 'run_claimed';
    if (!begins && this.current !== null) return;
    this.current = run;
    this.hasCurrentEnded = false;
    this.heads.push({ run, at: this.rows.length });
  }
}

const isEnd = (type: string): boolean =>
  type === 'agent_completed' || type === 'agent_error' || type === 'agent_cancelled';

function toneOf({ known, type }: LogEvent, isTakeOver: boolean): Tone {
  if (isTakeOver || isUnknownOutcome(known)) return 'over';
  if (isError(known)) return 'bad';
  if (type === 'agent_action_required' || type === 'run_parked') return 'wait';
  if (type.includes('tool')) return 'tool';
  return type === 'agent_completed' || type === 'agent_final_output' ? 'end' : 'plain';
}

/** All rows of a log. @param told in the order of their times */
export function rowsOf(
  events: readonly LogEvent[],
  story: Story,
  mode: RowsMode,
  filter: Filter,
  told: readonly Told[] = [],
): LogRows {
  const rows = new LogRows(mode, filter);
  let next = 0;
  for (const [index, event] of events.entries()) {
    while (next < told.length && told[next]!.time < event.time) rows.pushTold(told[next++]!);
    rows.push(event, index, story);
  }
  while (next < told.length) rows.pushTold(told[next++]!);
  return rows;
}
