import type { AttemptRef, PicoDollars, RecordedSessionEvent } from '#domain/browser';
import { WaterfallCalls, keyOfAttempt } from './waterfall-calls.js';
import { costNote } from './waterfall-notes.js';
import { OpenRow } from './waterfall-row.js';

type Of<T extends RecordedSessionEvent['type']> = Extract<RecordedSessionEvent, { type: T }>;

type StepEvent =
  | Of<'workflow_attempt_started'>
  | Of<'workflow_attempt_failed'>
  | Of<'workflow_step_completed'>
  | Of<'agent_workflow_step'>;

export const isOfSteps = (event: RecordedSessionEvent): event is StepEvent =>
  event.type === 'workflow_attempt_started' ||
  event.type === 'workflow_attempt_failed' ||
  event.type === 'workflow_step_completed' ||
  event.type === 'agent_workflow_step';

interface ShownAttempt {
  readonly row: OpenRow;
  /** That of the call that runs the workflow. */
  readonly call: OpenRow;
  readonly calls: WaterfallCalls;
  turns: number;
  cost: PicoDollars;
}

/** The steps of the workflows that the latest turn called, each attempt a row under its call. Owns the attempts. */
export class WaterfallSteps {
  private readonly attempts = new Map<string, ShownAttempt>();
  /** The call of each workflow that was named last. */
  private readonly callOf = new Map<string, string>();

  constructor(private readonly parentOf: (callId: string) => OpenRow | undefined) {}

  /** A new turn: what it calls has steps of its own. */
  clear(): void {
    this.attempts.clear();
    this.callOf.clear();
  }

  push(event: StepEvent): void {
    if (event.type === 'workflow_attempt_started') return void this.start(event.data, event);
    if (event.type === 'agent_workflow_step') return this.skip(event);
    const attempt = this.attempts.get(keyOfAttempt(event.data));
    if (attempt === undefined) return;
    const { row, turns, cost } = attempt;
    if (turns > 0) row.note(`${turns} ${turns === 1 ? 'turn' : 'turns'}`, costNote(cost));
    if (event.type === 'workflow_attempt_failed') {
      row.name = `${event.data.step_id}, attempt ${event.data.attempt}`;
      row.fail(`failed: ${event.data.errors[0] ?? 'no reason given'}`);
    }
    row.close(event.time);
  }

  /** The bar of a step is that of the turns that the model took for it. */
  completeTurn(ref: AttemptRef, event: Of<'model_turn_completed'>, cost: PicoDollars): void {
    const attempt = this.attempts.get(keyOfAttempt(ref)) ?? this.start(ref, event);
    if (attempt === null) return;
    attempt.turns += 1;
    attempt.cost += cost;
    const calls = event.data.tool_calls ?? [];
    if (calls.length > 0) attempt.row.pause(event.time);
    attempt.calls.add(calls, event);
  }

  /**
   * The model did not answer a step; which one, where several are under way, nobody is told: then it stands under their call.
   * @param since the run was last heard of @returns whether a step is under way
   */
  failTurn({ revision, time, data }: Of<'model_turn_failed'>, since: number): boolean {
    const open = [...this.attempts.values()].filter(({ row }) => row.isOpen);
    const [first, ...others] = open;
    if (first === undefined) return false;
    const parent = others.length === 0 ? first.row : first.call;
    const row = parent.add(new OpenRow('turn', `model, attempt ${data.attempt}`, revision, since));
    row.begin('failed', since);
    row.fail(`failed: ${data.error}`);
    row.close(time);
    return true;
  }

  callsOf(ref: AttemptRef, event: RecordedSessionEvent): WaterfallCalls {
    const attempt = this.attempts.get(keyOfAttempt(ref)) ?? this.start(ref, event);
    // Without the call that it stands under nothing of it is shown.
    if (attempt === null)
      return new WaterfallCalls(new OpenRow('step', ref.step_id, event.revision, event.time));
    if (event.type === 'tool_call_completed') attempt.row.begin('answer', event.time);
    return attempt.calls;
  }

  resolve(event: Of<'agent_action_resolved'>): boolean {
    return [...this.attempts.values()].some(({ calls }) => calls.resolve(event));
  }

  breakOff(lastSign: number): void {
    for (const { row, calls } of this.attempts.values()) {
      calls.breakOff(lastSign);
      if (row.isOpen) row.pause(lastSign);
    }
  }

  goOn(time: number): void {
    for (const { row, calls } of this.attempts.values()) {
      calls.goOn(time);
      if (row.isOpen) row.begin('answer', time);
    }
  }

  private start(ref: AttemptRef, { revision, time }: RecordedSessionEvent): ShownAttempt | null {
    const parent = this.parentOf(ref.call_id);
    if (parent === undefined) return null;
    this.callOf.set(ref.workflow_id, ref.call_id);
    const row = parent.add(new OpenRow('step', ref.step_id, revision, time));
    row.begin('answer', time);
    const attempt = { row, call: parent, calls: new WaterfallCalls(row), turns: 0, cost: 0n };
    this.attempts.set(keyOfAttempt(ref), attempt);
    return attempt;
  }

  private skip({ revision, time, data }: Of<'agent_workflow_step'>): void {
    if (data.status !== 'skipped' || data.attempt !== '0') return;
    const parent = this.parentOf(this.callOf.get(data.workflow_id) ?? '');
    if (parent === undefined) return;
    const row = parent.add(new OpenRow('step', data.step_id, revision, time));
    row.note('skipped');
    row.close(time);
  }
}
