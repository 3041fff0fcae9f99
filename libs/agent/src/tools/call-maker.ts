import {
  type AttemptRef,
  type CallState,
  OUTCOME_UNKNOWN,
  type ServerTask,
  type TurnToolCall,
  inputOf,
  isReleased,
  readArguments,
} from '#domain';
import type { Clock } from '#platform';
import { TaskLeft } from '../run/run-end.js';
import type { RunWatch } from '../run/run-watch.js';
import { WorkflowWaits } from '../workflow/workflow-runner.js';
import type { CallGate } from './call-gate.js';
import { CUT, TOO_MANY, TOO_OFTEN, failed, taskLost, withChange } from './call-outcomes.js';
import { ServerQuestions } from './server-questions.js';
import type { ServerAnswers, Tool, ToolOutcome, ToolServer } from './tool.js';
import type { CallRecord } from './call-record.js';

/** So often a server may want to know more before it does what a call asks for. */
const MAX_ROUNDS = 10;

/** So long a run is driven for what a server goes on with by itself. */
const TASK_PATIENCE_MS = 2_000;

/** Whose call it is. */
export interface Called {
  /** As it is offered now; undefined: it is not. */
  readonly tool: () => Tool | undefined;
  /** Undefined: it is of none, or of none that the run has. */
  readonly server: ToolServer | undefined;
  /** This process heard the turn itself: the call has not been made yet. Of others it cannot be known. */
  readonly isFresh: boolean;
}

interface MadeWith {
  readonly tool: Tool;
  readonly input: unknown;
  readonly answers: ServerAnswers | undefined;
}

/** What a call was made with, where that is not what the model wrote. */
type Change = { readonly input: unknown } | undefined;

/** Makes one call, or goes on with it where it was left: at most once, unless its tool says that twice is the same. */
export class CallMaker {
  private readonly questions: ServerQuestions;

  constructor(
    private readonly record: CallRecord,
    private readonly clock: Clock,
    private readonly gate: CallGate,
    private readonly watch: RunWatch,
  ) {
    this.questions = new ServerQuestions(record, clock);
  }

  /** What came of it; null: it waits for somebody. @throws WorkflowWaits, TaskLeft, or the signal's reason */
  async outcomeOf(
    state: CallState,
    called: Called,
    signal: AbortSignal,
    step: AttemptRef | undefined,
  ): Promise<ToolOutcome | null> {
    const { call } = state;
    const recorded = (await this.record.replay?.outcomeOf(call)) ?? null;
    if (recorded !== null) return recorded;
    if (call.cut) return failed(CUT);
    if (state.task !== undefined) return this.follow(state, called, signal, step);
    const isAnswered = state.inputs !== undefined && state.isBegun !== true;
    const isPutOff = state.isPutOff === true && state.isBegun !== true;
    const isToBegin = isAnswered || isPutOff || isReleased(state);
    const isUnmade = isToBegin || (call.needs === undefined && called.isFresh);
    if (!isUnmade && !called.tool()?.isRepeatable) return failed(OUTCOME_UNKNOWN);
    if (call.name.trim() === '') return failed('the call was not made: it does not name a tool');
    const tool = called.tool() ?? (await this.awaited(call, called, signal));
    if (typeof tool === 'string') return failed(tool);
    const read = readArguments(call);
    if (read.kind !== 'read') return failed(read.fault);
    const { input } = read;
    if (call.needs === undefined && this.gate.neededBy(tool) !== undefined)
      return failed((await this.gate.faultOf(call, tool)) ?? TOO_MANY);
    const answers = await this.questions.answersTo(state);
    if (isToBegin) await this.noteBegin(state, step);
    return this.make(state, called, { tool, input, answers }, signal, step);
  }

  /** A server that is away is waited for: somebody may have decided about the call. Why there is no tool, where there is none. */
  private async awaited(
    call: TurnToolCall,
    { server, tool }: Called,
    signal: AbortSignal,
  ): Promise<Tool | string> {
    if (call.server === undefined) return `there is no tool called ${call.name}`;
    const said = `the call was not made: the tool server "${call.server}"`;
    if (server === undefined) return `${said} is none of this run's`;
    const away = await server.reached(signal);
    return away === null
      ? (tool() ?? `${said} has no tool called ${call.tool ?? call.name} now`)
      : `${said} ${away}`;
  }

  private async make(
    state: CallState,
    called: Called,
    { tool, input, answers }: MadeWith,
    signal: AbortSignal,
    step: AttemptRef | undefined,
  ): Promise<ToolOutcome | null> {
    const { call } = state;
    const made = await this.changeOf(state);
    signal.throwIfAborted();
    try {
      const outcome = await this.watch.toolCall(call, (traceparent) =>
        tool.call(made === undefined ? input : made.input, signal, call, { traceparent, answers }),
      );
      return await this.came(state, called, outcome, made, signal, step);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof WorkflowWaits || error instanceof TaskLeft) throw error;
      return failed(`the tool failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** The server goes on with it by itself. */
  private async follow(
    state: CallState,
    called: Called,
    signal: AbortSignal,
    step: AttemptRef | undefined,
  ): Promise<ToolOutcome | null> {
    const { task, call } = state;
    const { server } = called;
    if (task === undefined || server === undefined) return failed(taskLost(call));
    const answers: ServerAnswers | undefined = await this.questions.answersTo(state);
    const outcome = await this.patiently(signal, (both) => server.follow(call, task, both, answers));
    signal.throwIfAborted();
    const tool = called.tool();
    if (outcome.isUnknown && tool?.isRepeatable && !task.is_repeat)
      return this.make(state, called, { tool, input: inputOf(call), answers: undefined }, signal, step);
    return this.came(state, called, outcome, await this.changeOf(state), signal, step);
  }

  /** Whoever asks leaves off after a while. @throws TaskLeft, or the signal's reason */
  private async patiently<T>(signal: AbortSignal, ask: (both: AbortSignal) => Promise<T>): Promise<T> {
    const left = new AbortController();
    const stop = this.clock.timer(TASK_PATIENCE_MS, () => left.abort(new TaskLeft()));
    try {
      return await ask(AbortSignal.any([signal, left.signal]));
    } finally {
      stop();
    }
  }

  /** The log holds how to ask for a task before it is asked for, and what the server wants to know before anybody is asked. */
  private async came(
    state: CallState,
    called: Called,
    outcome: ToolOutcome,
    made: Change,
    signal: AbortSignal,
    step: AttemptRef | undefined,
  ): Promise<ToolOutcome | null> {
    const { wants } = outcome;
    if (wants !== undefined) {
      if ((state.inputs?.round ?? 0) >= MAX_ROUNDS) return failed(TOO_OFTEN);
      return (await this.questions.ask(state.call, wants, step)) ? null : failed(TOO_MANY);
    }
    if (outcome.task === undefined) return withChange(outcome, made);
    // It is made again once, where its tool allows that: a server that forgets its tasks is not asked for ever.
    const task: ServerTask = { ...outcome.task, ...(state.task === undefined ? {} : { is_repeat: true }) };
    const { id: call_id, server, server_index } = state.call;
    const data = {
      call_id,
      ...(step === undefined ? {} : { step }),
      ...(server === undefined ? {} : { server }),
      ...(server_index === undefined ? {} : { server_index }),
      task,
    };
    this.record.write([{ type: 'tool_task_started', data }]);
    await this.record.settled();
    const { inputs: _, ...begun } = state;
    return this.follow({ ...begun, task }, called, signal, step);
  }

  /** The log holds that a call is begun, or gone on with, before it is. */
  private async noteBegin({ call }: CallState, step: AttemptRef | undefined): Promise<void> {
    const data = { call_id: call.id, ...(step === undefined ? {} : { step }) };
    this.record.write([{ type: 'tool_call_begun', data }]);
    await this.record.settled();
  }

  /** What a person wants the call to be made with, instead of what the model wrote. */
  private async changeOf({ action, call }: CallState): Promise<Change> {
    const { session, contents, replay } = this.record;
    const decided = action?.decided ?? null;
    const text =
      decided === null
        ? ((await replay?.decisionOn(call)) ?? null)
        : await contents.text(session, decided.content);
    if (text === null) return undefined;
    const said = JSON.parse(text) as { readonly input?: unknown };
    return 'input' in said ? { input: said.input } : undefined;
  }
}
