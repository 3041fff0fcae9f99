import type { AttemptRef, ModelCall, RecordedSessionEvent, RunId } from '#domain/browser';
import { WaterfallCalls } from './waterfall-calls.js';
import { WAITS, closeAll, closed, costNote, costOf, decisionNote, notesOf } from './waterfall-notes.js';
import { OpenRow, type WaterfallRow } from './waterfall-row.js';
import { WaterfallSteps, isOfSteps } from './waterfall-steps.js';
import { expiresNote, isForModel, ordinal, replicaOf } from './waterfall-words.js';

export { type Bar, type BarKind, type RowKind, type WaterfallRow, tookMs } from './waterfall-row.js';

type Of<T extends RecordedSessionEvent['type']> = Extract<RecordedSessionEvent, { type: T }>;

/** The rows of a run's waterfall, of the events of its session; those of other runs are passed over. */
export function waterfallOf(run: RunId, events: Iterable<RecordedSessionEvent>): readonly WaterfallRow[] {
  const fold = new Waterfall();
  for (const event of events) if (event.meta.run === run) fold.push(event);
  return fold.rows();
}

/**
 * Folds the events of one run into rows. Owns the rows that are open: a turn is open from where the model can be asked, and
 * is dropped again where the run ends before anything came.
 */
class Waterfall {
  private readonly top: OpenRow[] = [];
  private queued: OpenRow | null = null;
  private turn: OpenRow | null = null;
  private calls: WaterfallCalls | null = null;
  private readonly steps = new WaterfallSteps((id) => this.calls?.rowOf(id));
  private readonly waits = new Map<string, OpenRow>();
  private turns = 0;
  private attempt = 1;
  private worker = '';
  private lastSign = 0;
  private isParked = false;
  private hasFinalOutput = false;
  /** The latest turn called nothing: what the model is asked for next is the final output. */
  private isLastTurn = false;
  private spent: ModelCall[] = [];
  /** The last compaction: what its summary cost stands behind it. */
  private compacted: OpenRow | null = null;
  /** The model was to be asked when the run began to wait. */
  private isTurnDue = false;
  /** Whose actions stand next: those of a step, or null for the main agent's. */
  private asking: AttemptRef | null = null;

  push(event: RecordedSessionEvent): void {
    this.take(event);
    this.lastSign = event.time;
  }

  rows(): readonly WaterfallRow[] {
    return this.top.flatMap((row) => row.rows());
  }

  private take(event: RecordedSessionEvent): void {
    const { type, time } = event;
    if (event.type === 'run_requested') return this.request(event);
    if (event.type === 'run_claimed') return this.claim(event);
    if (type === 'agent_started' || type === 'agent_step') return this.openTurn(event);
    if (type === 'agent_thinking_start' || type === 'agent_thinking') return this.say('thinking', event);
    // Calls are told of behind their turn.
    if (type === 'agent_response_start' || type === 'agent_response') return this.say('answer', event);
    if (event.type === 'agent_steered') return this.steer(event);
    if (event.type === 'agent_compacted') return this.compact(event);
    if (event.type === 'model_called') return this.spend(event.data);
    if (event.type === 'model_turn_completed') return this.complete(event);
    if (event.type === 'model_turn_failed') return this.failTurn(event);
    if (event.type === 'agent_action_required') return this.ask(event);
    if (event.type === 'agent_action_resolved') return this.resolve(event);
    if (type === 'agent_completed' || type === 'agent_cancelled' || type === 'agent_error')
      return this.end(event);
    if (type !== 'run_parked') return this.takeOfCalls(event);
    this.isParked = true;
    this.turn?.pause(time);
  }

  /** What belongs to a call, or to a step of a workflow. */
  private takeOfCalls(event: RecordedSessionEvent): void {
    if (event.type === 'tool_call_begun' || event.type === 'tool_task_started')
      return this.callsOf(event, event.data.step).begun(event);
    if (event.type === 'tool_call_completed') return this.callsOf(event, event.data.step).complete(event);
    if (event.type === 'tool_calls_reopened') {
      this.asking = event.data.step ?? null;
      return this.callsOf(event, event.data.step).reopen(event.data.call_ids);
    }
    if (event.type === 'tool_input_required') {
      this.asking = event.data.step ?? null;
      return this.callsOf(event, event.data.step).wantsInput(event);
    }
    if (isOfSteps(event)) this.steps.push(event);
  }

  /** The time since the turn before goes to it, and to its summary. */
  private compact({ revision, time, data }: Of<'agent_compacted'>): void {
    const since = this.turn !== null && this.turn.lastBar === undefined ? this.turn.start : time;
    this.dropUnsaid();
    const row = new OpenRow('compacted', 'compaction', revision, since);
    row.begin('answer', since);
    row.note(data.content === '' ? 'left out' : 'summed up', `through ${data.through}`);
    row.close(time);
    this.top.push(row);
    this.compacted = row;
    this.openTurn({ revision, time });
  }

  private spend(call: ModelCall): void {
    if (call.kind === 'compaction' && this.compacted !== null) this.compacted.note(costNote(costOf([call])));
    else this.spent.push(call);
  }

  private steer(event: Of<'agent_steered'>): void {
    this.dropUnsaid();
    const row = new OpenRow('steered', 'steered', event.revision, event.time);
    this.top.push(closed(row, 'a message came in'));
    this.isLastTurn = false;
    this.openTurn(event);
  }

  private request(event: Of<'run_requested'>): void {
    if (this.queued !== null) return;
    const { config } = event.data;
    this.hasFinalOutput = 'final_output' in config;
    this.queued = new OpenRow('queued', 'queued', event.revision, event.time);
    this.queued.begin('queue', event.time);
    this.top.push(this.queued);
  }

  private claim({ revision, time, data }: Of<'run_claimed'>): void {
    const isFirst = data.epoch === 1 || this.worker === '';
    if (isFirst && this.queued?.isOpen) {
      this.queued.close(time);
      this.queued.note(
        revision === this.queued.event + 1 ? 'nobody before it' : 'waited for its turn or for room',
      );
    } else if (!this.isParked) this.takeOver(revision, time, data);
    this.worker = data.worker;
    this.isParked = false;
    if (this.isTurnDue) this.openTurn({ revision, time });
    this.isTurnDue = false;
  }

  /** Whoever drove the run was silent from its last event on. */
  private takeOver(revision: number, time: number, data: Of<'run_claimed'>['data']): void {
    const since = this.lastSign;
    const row = new OpenRow('taken over', 'taken over', revision, since);
    row.begin('silence', since);
    row.tone = 'warn';
    const [before, now] = [replicaOf(this.worker), replicaOf(data.worker)];
    row.note(
      `replica ${before} silent; ${before === now ? 'the same, started anew' : now}, ${ordinal(data.epoch)} claim`,
    );
    row.close(time);
    this.calls?.breakOff(since);
    this.steps.breakOff(since);
    const broken = this.turn;
    this.turn = null;
    if (broken !== null) {
      if (broken.lastBar === undefined) this.top.splice(this.top.indexOf(broken), 1);
      else {
        broken.fail('cut off');
        broken.isUntold = true;
        broken.close(since);
      }
    }
    this.top.push(row);
    this.calls?.goOn(time);
    this.steps.goOn(time);
    if (broken !== null) this.openTurn({ revision, time });
  }

  /** From here on the model can be asked. */
  private openTurn({ revision, time }: { readonly revision: number; readonly time: number }): void {
    if (this.turn !== null || (this.isLastTurn && !this.hasFinalOutput)) return;
    const name = this.isLastTurn ? 'final output' : `turn ${this.turns + 1}`;
    this.turn = new OpenRow('turn', name, revision, time);
    this.top.push(this.turn);
  }

  private say(kind: 'thinking' | 'answer', event: RecordedSessionEvent): void {
    if (this.turn === null) this.openTurn(event);
    this.turn?.begin(kind, event.time);
  }

  private complete(event: Of<'model_turn_completed'>): void {
    const { step, final_output: isFinal = false, tool_calls: calls = [] } = event.data;
    const spent = this.takeSpent();
    if (step !== undefined) {
      this.asking = { ...step, attempt: event.data.attempt ?? 1 };
      return this.steps.completeTurn(this.asking, event, costOf(spent));
    }
    this.asking = null;
    if (this.turn === null) {
      this.isLastTurn = false;
      this.openTurn(event);
    }
    const row = this.turn ?? new OpenRow('turn', `turn ${this.turns + 1}`, event.revision, event.time);
    if (row.lastBar === undefined) row.begin('answer', row.start);
    this.turn = null;
    if (isFinal) row.name = 'final output';
    else {
      this.turns += 1;
      row.name = `turn ${this.turns}`;
      this.isLastTurn = calls.length === 0;
      this.calls = new WaterfallCalls(row);
      this.steps.clear();
    }
    this.attempt = 1;
    row.pause(event.time);
    row.note(...notesOf(row, event.time, spent));
    this.closeTurn(row, calls.length, event);
    if (!isFinal) this.calls?.add(calls, event);
  }

  /** A turn is over where its answer is; the calls under it have bars of their own. */
  private closeTurn(row: OpenRow, calls: number, { time, data }: Of<'model_turn_completed'>): void {
    row.close(time);
    if (data.finish_reason === 'length') row.fail('the answer was cut at its limit');
    else if (calls > 1) row.note(`${calls} calls`);
  }

  private failTurn(event: Of<'model_turn_failed'>): void {
    if (this.turn === null && this.steps.failTurn(event, this.lastSign)) return;
    if (this.turn === null) this.openTurn(event);
    if (this.turn === null) return;
    this.turn.name = `${this.turn.name}, attempt ${this.attempt}`;
    this.failAttempt(this.turn, event.data.error, event.time);
    this.attempt += 1;
    this.openTurn(event);
  }

  /** The model was asked, and did not answer to the end. */
  private failAttempt(row: OpenRow, error: string, time: number): void {
    if (row.lastBar === undefined) row.begin('failed', row.start);
    row.fail(`failed: ${error}`);
    row.note(costNote(costOf(this.takeSpent())));
    row.close(time);
    this.turn = null;
  }

  private ask(event: Of<'agent_action_required'>): void {
    const { kind, action_id: id, expires_at: expiresAt } = event.data;
    const isOfCall = kind === 'approval' || kind === 'tool' || kind === 'input';
    if (isOfCall && this.callsOf(event, this.asking ?? undefined).ask(event)) return;
    const row = new OpenRow('waiting', 'waiting', event.revision, event.time);
    row.begin('wait', event.time);
    row.tone = 'warn';
    row.note(`for ${WAITS[kind]}, ${expiresNote(expiresAt)}`);
    this.isTurnDue = this.dropUnsaid();
    this.top.push(row);
    this.waits.set(id, row);
  }

  private resolve(event: Of<'agent_action_resolved'>): void {
    if (this.calls?.resolve(event) === true || this.steps.resolve(event)) return;
    const { action_id: id, decision, actor } = event.data;
    const row = this.waits.get(id);
    if (row === undefined) return;
    row.tone = decision === 'expired' || decision === 'deny' ? 'bad' : 'plain';
    row.note(decisionNote(decision, actor));
    row.close(event.time);
  }

  private end(event: RecordedSessionEvent): void {
    // Of the last attempt of a turn no event tells but this one.
    if (event.type === 'agent_error' && this.turn !== null && isForModel(event.data.code)) {
      if (this.attempt > 1) this.turn.name = `${this.turn.name}, attempt ${this.attempt}`;
      this.failAttempt(this.turn, event.data.content, event.time);
    }
    this.dropUnsaid();
    if (this.turn !== null) this.turn.fail(event.type === 'agent_cancelled' ? 'cancelled' : 'broken off');
    for (const row of this.top) closeAll(row, event.time, event.type);
    this.turn = null;
  }

  /** A turn of which nothing came was not taken. Returns whether there was one. */
  private dropUnsaid(): boolean {
    if (this.turn === null || this.turn.lastBar !== undefined) return false;
    this.top.splice(this.top.indexOf(this.turn), 1);
    this.turn = null;
    return true;
  }

  /** Those of the latest turn, or of a step's attempt; a run that retries another one begins with calls of that one's. */
  private callsOf(event: RecordedSessionEvent, step: AttemptRef | undefined): WaterfallCalls {
    if (step !== undefined) return this.steps.callsOf(step, event);
    if (this.calls !== null) return this.calls;
    this.dropUnsaid();
    const row = new OpenRow('turn', 'earlier turn', event.revision, event.time);
    this.top.push(closed(row, 'of the run that it goes on with'));
    this.calls = new WaterfallCalls(row);
    return this.calls;
  }

  private takeSpent(): readonly ModelCall[] {
    const { spent } = this;
    this.spent = [];
    return spent;
  }
}
