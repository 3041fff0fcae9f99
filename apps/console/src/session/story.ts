import { type PicoDollars, parseDollars } from '#domain/browser';
import type { RunStatus } from '#projections';
import { isError } from './lanes.js';
import type { LogEvent } from './log-event.js';

/** A run whose driver fell silent, and that another one took over. */
export interface TakeOver {
  readonly run: string;
  /** Index of the last event before it, and of the claim. */
  readonly crash: number;
  readonly claim: number;
  readonly silentMs: number;
  /** Who drove the run before, and who does from here on. */
  readonly before: string;
  readonly worker: string;
}

/** A run of a session, as its log tells of it so far: what changes is another object, for components compare them. */
export interface RunStory {
  readonly run: string;
  /** 1 for the first of its session. */
  readonly ordinal: number;
  /** Index of its request. */
  readonly from: number;
  /** Index of its last event so far. */
  readonly to: number;
  readonly hasEnded: boolean;
  readonly worker: string;
  readonly isParked: boolean;
  readonly status: RunStatus;
  /** Of its model calls so far. */
  readonly cost: PicoDollars;
}

const ENDS: ReadonlySet<string> = new Set(['agent_completed', 'agent_error', 'agent_cancelled']);

const STATUS_OF: Readonly<Record<string, RunStatus>> = {
  run_claimed: 'running',
  agent_started: 'running',
  run_parked: 'waiting',
  run_woken: 'queued',
  agent_completed: 'completed',
  agent_error: 'failed',
  agent_cancelled: 'cancelled',
};

/**
 * What events say of those before them. Owns the runs of a session and its places: where runs and turns begin, where
 * something went wrong. Takes each event once, in order; all numbers are indexes of events.
 */
export class Story {
  readonly runs = new Map<string, RunStory>();
  readonly takeOvers = new Map<number, TakeOver>();
  readonly runStarts: number[] = [];
  readonly turnStarts: number[] = [];
  readonly errors: number[] = [];
  /** Of each event: the turn of its run that it stands in, from 1; 0 before the first. */
  readonly turns: number[] = [];
  private readonly turnOf = new Map<string, number>();
  private opensTurn: string | null = null;
  private readonly times: number[] = [];

  push(event: LogEvent): void {
    const index = this.times.length;
    this.times.push(event.time);
    const { run = '' } = event;
    if (event.type === 'run_requested' && run !== '' && !this.runs.has(run)) this.begin(run, index);
    if (event.type === 'run_claimed') this.claim(event, index);
    if (event.type === 'agent_started') this.opensTurn = run;
    else if (this.opensTurn === run && run !== '' && !isAside(event)) this.openTurn(run, index);
    this.turns.push(this.turnOf.get(run) ?? 0);
    if (isError(event.known) || this.takeOvers.has(index)) this.errors.push(index);
    this.note(event, index);
  }

  private begin(run: string, index: number): void {
    this.runs.set(run, {
      run,
      ordinal: this.runs.size + 1,
      from: index,
      to: index,
      hasEnded: false,
      worker: '',
      isParked: false,
      status: 'queued',
      cost: 0n,
    });
    this.runStarts.push(index);
  }

  private openTurn(run: string, index: number): void {
    this.opensTurn = null;
    this.turnOf.set(run, (this.turnOf.get(run) ?? 0) + 1);
    this.turnStarts.push(index);
  }

  /** A later claim of a run that waited for nobody: its driver is gone. */
  private claim({ known, run = '', time }: LogEvent, index: number): void {
    const story = this.runs.get(run);
    if (known?.type !== 'run_claimed' || story === undefined) return;
    const { worker, epoch } = known.data;
    if (epoch > 1 && !story.isParked) {
      const silentMs = time - (this.times[story.to] ?? time);
      const over = { run, crash: story.to, claim: index, silentMs, before: story.worker, worker };
      this.takeOvers.set(index, over);
    }
    this.runs.set(run, { ...story, worker, isParked: false });
  }

  private note({ type, run = '', known }: LogEvent, index: number): void {
    const story = this.runs.get(run);
    if (story === undefined) return;
    const hasEnded = ENDS.has(type);
    this.runs.set(run, {
      ...story,
      to: index,
      status: STATUS_OF[type] ?? story.status,
      cost: story.cost + costOf(known),
      isParked: story.isParked || type === 'run_parked',
      hasEnded: story.hasEnded || hasEnded,
    });
    if (type === 'agent_step') this.opensTurn = run;
    else if (hasEnded && this.opensTurn === run) this.opensTurn = null;
  }
}

/** Of its call of the model; turns of earlier versions had it with them. */
const costOf = (known: LogEvent['known']): PicoDollars =>
  known?.type === 'model_called' || known?.type === 'model_turn_completed'
    ? parseDollars(known.data.cost ?? '0')
    : 0n;

/** What stands between two turns and is part of neither. */
const isAside = ({ type, known }: LogEvent): boolean =>
  type === 'agent_compacted' ||
  type === 'agent_cost' ||
  (known?.type === 'model_called' && known.data.kind === 'compaction') ||
  type === 'run_claimed' ||
  type === 'run_parked' ||
  type === 'run_woken' ||
  type === 'tools_offered' ||
  type === 'run_cancel_requested' ||
  ENDS.has(type);

/** The last place before an event, and the first behind it; null: there is none. @param places in rising order */
export function neighbours(
  places: readonly number[],
  at: number,
): { readonly before: number | null; readonly after: number | null } {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  const next = places[low] === at ? low + 1 : low;
  return { before: places[low - 1] ?? null, after: places[next] ?? null };
}
