import {
  type AttemptRef,
  type RecordedSessionEvent,
  type TurnToolCall,
  UNREADABLE_TEXT,
  isFileRef,
  lengthOf,
} from '#domain/browser';
import { expiresNote, sizeNote } from './waterfall-words.js';
import { WAITS, decisionNote } from './waterfall-notes.js';
import { OpenRow } from './waterfall-row.js';

type Of<T extends RecordedSessionEvent['type']> = Extract<RecordedSessionEvent, { type: T }>;

interface ShownCall {
  readonly id: string;
  readonly row: OpenRow;
  isAsked: boolean;
  /** Not begun: somebody has to release it, or to carry it out. */
  readonly needs: boolean;
}

/**
 * The calls of one turn, or of one attempt of a workflow step, as rows. Owns which of them waits for whom: the n-th action
 * behind a turn is of the n-th call that needs somebody.
 */
export class WaterfallCalls {
  private readonly calls: ShownCall[] = [];
  private readonly byAction = new Map<string, OpenRow>();
  /** Whose actions stand next, in order; empty: those of the calls that need somebody. */
  private reopened: string[] = [];
  private input: OpenRow | null = null;

  constructor(private readonly parent: OpenRow) {}

  add(calls: readonly TurnToolCall[], { revision, time }: RecordedSessionEvent): void {
    for (const { id, name, needs, cut } of calls) {
      const row = this.parent.add(new OpenRow('tool', name, revision, time));
      if (needs === undefined) row.begin('tool', time);
      if (cut) row.fail('arguments cut off, not called');
      this.calls.push({ id, row, isAsked: false, needs: needs !== undefined });
    }
  }

  rowOf(id: string): OpenRow | undefined {
    return this.calls.findLast((call) => call.id === id)?.row;
  }

  /** The row of a call that an earlier run took the turn of. */
  ensure(id: string, { revision, time }: RecordedSessionEvent): OpenRow {
    const known = this.rowOf(id);
    if (known !== undefined) return known;
    const row = this.parent.add(new OpenRow('tool', `call ${id}`, revision, time));
    this.calls.push({ id, row, isAsked: false, needs: false });
    return row;
  }

  begun(event: Of<'tool_call_begun'> | Of<'tool_task_started'>): void {
    const row = this.ensure(event.data.call_id, event);
    row.begin('tool', event.time);
    if (event.type === 'tool_task_started') row.note('the tool server goes on by itself');
  }

  reopen(ids: readonly string[]): void {
    this.reopened = [...ids];
  }

  /** The tool server wants something: the actions behind it are of this call. */
  wantsInput(event: Of<'tool_input_required'>): void {
    this.input = this.ensure(event.data.call_id, event);
  }

  /** Whether one of these calls waits for it. */
  ask(event: Of<'agent_action_required'>): boolean {
    const row = event.data.kind === 'input' ? this.input : this.nextAsked();
    if (row === null) return false;
    row.begin('wait', event.time);
    row.tone = 'warn';
    row.note(`waits for ${WAITS[event.data.kind]}, ${expiresNote(event.data.expires_at)}`);
    this.byAction.set(event.data.action_id, row);
    return true;
  }

  resolve({ time, data }: Of<'agent_action_resolved'>): boolean {
    const row = this.byAction.get(data.action_id);
    if (row === undefined) return false;
    row.pause(time);
    row.tone = data.decision === 'expired' || data.decision === 'deny' ? 'bad' : 'plain';
    row.note(decisionNote(data.decision, data.actor));
    return true;
  }

  complete(event: Of<'tool_call_completed'>): void {
    const { call_id: id, content, is_error: isError, files = [] } = event.data;
    const row = this.ensure(id, event);
    const isUnknown = !isFileRef(content) && content.startsWith('outcome unknown');
    if (isUnknown) row.isUntold = true;
    row.close(event.time);
    if (isUnknown) row.fail('outcome unknown');
    else if (isError)
      row.fail(content === UNREADABLE_TEXT || isFileRef(content) ? 'failed' : `failed: ${line(content)}`);
    else row.note(sizeNote(lengthOf(content)));
    if (files.length > 0) row.note(`${files.length} ${files.length === 1 ? 'file' : 'files'}`);
  }

  /** Nobody makes them any more: whoever did was last heard of at `lastSign`. */
  breakOff(lastSign: number): void {
    for (const { row } of this.calls) if (row.isOpen && row.lastBar?.kind === 'tool') row.pause(lastSign);
  }

  /** Whoever took over goes on with them. */
  goOn(time: number): void {
    for (const { row } of this.calls) if (row.isOpen && row.lastBar?.kind === 'tool') row.begin('tool', time);
  }

  private nextAsked(): OpenRow | null {
    const again = this.reopened.shift();
    if (again !== undefined) return this.rowOf(again) ?? null;
    const next = this.calls.find(({ needs, isAsked, row }) => needs && !isAsked && row.isOpen);
    if (next === undefined) return null;
    next.isAsked = true;
    return next.row;
  }
}

const LINE = 120;
const line = (text: string): string => {
  const first = text.trim().split('\n', 1)[0] ?? '';
  return first.length > LINE ? `${first.slice(0, LINE)}…` : first;
};

/** Of an attempt of a workflow step: one for each. */
export const keyOfAttempt = ({ call_id, step_id }: Pick<AttemptRef, 'call_id' | 'step_id'>): string =>
  JSON.stringify([call_id, step_id]);
