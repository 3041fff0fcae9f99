import type { RecordedSessionEvent } from '#domain/browser';
import { type Lane, isError } from './lanes.js';
import type { LogEvent } from './log-event.js';
import type { Told } from './rows.js';
import type { Story, TakeOver } from './story.js';

/** What is drawn on a lane: from one moment to another, or at one. */
export interface Mark {
  readonly lane: Lane;
  readonly kind: MarkKind;
  /** ms since 1970 */
  readonly since: number;
  /** Absent: it is still so. */
  readonly until?: number;
  /** Indexes of the events at which it begins and ends. */
  readonly from: number;
  readonly to?: number;
  readonly label?: string;
}

export type MarkKind =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'think'
  | 'say'
  /** A summary is made, or turns are left out without one. */
  | 'compact'
  | 'call'
  | 'unknown'
  | 'wait'
  | 'told'
  | 'untold'
  | 'step'
  | 'gone';

interface Open {
  readonly lane: Lane;
  readonly kind: MarkKind;
  readonly since: number;
  readonly from: number;
  readonly label?: string;
}

/**
 * The marks of a timeline. Owns what is open; takes each event once, in order. A mark that is open at the end goes on.
 */
export class Marks {
  private readonly closed: Mark[] = [];
  private readonly open = new Map<string, Open>();
  private readonly statusOf = new Map<string, MarkKind>();

  push(event: LogEvent, index: number, story: Story): void {
    const { known, run } = event;
    if (known === null || run === undefined) return;
    this.pushRun(event, index, story);
    this.pushModel(event, index);
    this.pushCalls(known, index);
    const over = story.takeOvers.get(index);
    if (over !== undefined) this.lose(over, event);
  }

  /** @param told what callbacks were sent */
  finish(told: readonly Told[] = []): readonly Mark[] {
    const open = [...this.open].map(([key, mark]): Mark => {
      const kind = key.startsWith('run ') ? (this.statusOf.get(key.slice(4)) ?? mark.kind) : mark.kind;
      return { ...mark, kind };
    });
    return [...this.closed, ...open, ...told.map(toldMark)];
  }

  private begin(key: string, mark: Open): void {
    this.open.set(key, mark);
  }

  private end(key: string, { time }: { readonly time: number }, to: number, kind?: MarkKind): void {
    const mark = this.open.get(key);
    if (mark === undefined) return;
    this.open.delete(key);
    this.closed.push({ ...mark, kind: kind ?? mark.kind, until: time, to });
  }

  private pushRun(event: LogEvent, index: number, story: Story): void {
    const { type, time, run = '' } = event;
    const key = `run ${run}`;
    if (type === 'run_requested' && !this.open.has(key)) {
      const label = `Run ${story.runs.get(run)?.ordinal ?? ''}`;
      this.begin(key, { lane: 'Runs', kind: 'queued', since: time, from: index, label });
    }
    const status = STATUS_OF[type];
    if (status === undefined) return;
    this.statusOf.set(run, status);
    if (!isOver(status)) return;
    this.end(key, event, index, status);
    for (const open of this.open.keys()) if (open.endsWith(` ${run}`)) this.end(open, event, index);
  }

  /** A turn: its thinking and its text, or, where it said nothing, the time from what it was asked after. */
  private pushModel(event: LogEvent, index: number): void {
    const { type, time, run = '', known } = event;
    const key = `model ${run}`;
    if (type === 'agent_started' || type === 'agent_step') {
      this.open.delete(key);
      return this.begin(key, { lane: 'Model', kind: 'say', since: time, from: index });
    }
    if (type === 'agent_thinking_start' || type === 'agent_response_start') {
      const before = this.open.get(key);
      if (before?.kind === 'think') this.end(key, event, index);
      const kind = type === 'agent_thinking_start' ? 'think' : 'say';
      return this.begin(key, { lane: 'Model', kind, since: time, from: index });
    }
    if (type === 'agent_compacted') {
      this.end(key, event, index, 'compact');
      return this.begin(key, { lane: 'Model', kind: 'say', since: time, from: index });
    }
    const isOfStep = known?.type === 'model_turn_completed' && known.data.step !== undefined;
    if (type === 'model_turn_completed' && !isOfStep) this.end(key, event, index);
    if (type === 'model_turn_failed') this.end(key, event, index, 'unknown');
  }

  private pushCalls(event: RecordedSessionEvent, index: number): void {
    const run = event.meta.run ?? '';
    const at = { since: event.time, from: index };
    if (event.type === 'model_turn_completed') {
      const calls = event.data.step === undefined ? (event.data.tool_calls ?? []) : [];
      for (const { id, name: label, needs } of calls)
        if (needs === undefined)
          this.begin(`call ${id} ${run}`, { ...at, lane: 'Tools', kind: 'call', label });
    } else if (event.type === 'tool_call_begun')
      this.begin(`call ${event.data.call_id} ${run}`, { ...at, lane: 'Tools', kind: 'call' });
    else if (event.type === 'tool_call_completed')
      this.end(`call ${event.data.call_id} ${run}`, event, index, isError(event) ? 'unknown' : 'call');
    else if (event.type === 'agent_action_required')
      this.begin(`wait ${event.data.action_id} ${run}`, { ...at, lane: 'Waits', kind: 'wait' });
    else if (event.type === 'agent_action_resolved')
      this.end(`wait ${event.data.action_id} ${run}`, event, index);
    else this.pushSteps(event, index);
  }

  private pushSteps(event: RecordedSessionEvent, index: number): void {
    const run = event.meta.run ?? '';
    if (event.type === 'workflow_attempt_started') {
      const label = event.data.step_id;
      const mark: Open = { lane: 'Steps', kind: 'step', since: event.time, from: index, label };
      this.begin(`step ${event.data.call_id}/${label} ${run}`, mark);
    } else if (event.type === 'workflow_step_completed' || event.type === 'workflow_attempt_failed') {
      const kind = event.type === 'workflow_attempt_failed' ? 'unknown' : 'step';
      this.end(`step ${event.data.call_id}/${event.data.step_id} ${run}`, event, index, kind);
    }
  }

  /** What was under way when the driver fell silent broke off there. */
  private lose({ crash, run }: TakeOver, { time }: LogEvent): void {
    for (const [key, mark] of this.open)
      if (key.endsWith(` ${run}`) && (mark.lane === 'Model' || mark.lane === 'Tools')) {
        this.open.delete(key);
        this.closed.push({ ...mark, kind: 'gone', until: time, to: crash });
      }
  }
}

const STATUS_OF: Readonly<Record<string, MarkKind>> = {
  agent_started: 'running',
  run_claimed: 'running',
  run_parked: 'waiting',
  run_woken: 'queued',
  agent_completed: 'completed',
  agent_error: 'failed',
  agent_cancelled: 'cancelled',
};

const isOver = (kind: MarkKind): boolean => kind === 'completed' || kind === 'failed' || kind === 'cancelled';

const toldMark = ({ time, event, status }: Told): Mark => ({
  lane: 'Told',
  kind: status === 'delivered' ? 'told' : 'untold',
  since: time,
  until: time,
  from: event,
  to: event,
});
