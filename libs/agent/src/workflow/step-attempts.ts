import type { AttemptRef, CallState, Draft } from '#domain';
import { AttemptTranscript } from '#workflow';
import { fitsInline } from '#vault';
import { CollectedText } from '../run/collected-text.js';
import type { ModelTurn } from '../model/model-turn.js';
import type { Situation } from '../model/prompt.js';
import type { RunRecord } from '../run/run-record.js';
import type { CallGate } from '../tools/call-gate.js';
import { type CallTargets, ToolRunner, type ToolRunnerPorts } from '../tools/tool-runner.js';
import { BudgetReached } from '../model/spending-limits.js';
import { askForBudget, requireNotDenied } from '../run/budget-wait.js';
import { AttemptFailed, type AttemptRequest, AttemptWaits } from './workflow-runner.js';

export interface StepAttemptPorts extends ToolRunnerPorts {
  readonly turn: ModelTurn;
}

/** What an attempt may use now, and what it is told of that. */
export interface StepSurroundings extends CallTargets {
  readonly situation: () => Situation;
}

/** Runs attempts of workflow steps: each is a small conversation of its own, journaled like the run's. */
export class StepAttempts {
  constructor(
    private readonly record: RunRecord,
    private readonly ports: StepAttemptPorts,
    private readonly around: StepSurroundings,
    private readonly gate: CallGate,
    private readonly maxTurns: number,
  ) {}

  /** The text of the attempt's last turn. @throws AttemptFailed, AttemptWaits, TurnFailed, or what ends the run */
  run(request: AttemptRequest, signal: AbortSignal): Promise<string> {
    return this.attempt(request).run(signal, this.maxTurns);
  }

  /** Ends the calls that an attempt has left open without making them: nobody knows what became of them. */
  giveUp(ref: AttemptRef): Promise<void> {
    return this.attempt({ ref, message: '' }).giveUp();
  }

  private attempt(request: Omit<AttemptRequest, 'step'>): StepAttempt {
    return new StepAttempt(request, this.record, this.ports, this.around, this.gate);
  }
}

class StepAttempt {
  private readonly tools: ToolRunner;
  private readonly transcript: AttemptTranscript;

  constructor(
    private readonly request: Omit<AttemptRequest, 'step'>,
    private readonly record: RunRecord,
    private readonly ports: StepAttemptPorts,
    private readonly around: StepSurroundings,
    gate: CallGate,
  ) {
    this.tools = new ToolRunner(record, ports, gate, around);
    this.transcript = record.workflows.transcriptOf(request.ref) ?? new AttemptTranscript();
  }

  async run(signal: AbortSignal, maxTurns: number): Promise<string> {
    const { contents, session } = this.record;
    for (;;) {
      signal.throwIfAborted();
      const action = this.transcript.next(maxTurns);
      switch (action.kind) {
        case 'call_model':
          await this.callModel(signal).catch((error: unknown) => this.wait(error));
          break;
        case 'run_tools':
          if (!(await this.runTools(signal))) throw new AttemptWaits('the step waits for somebody');
          break;
        case 'respond':
          await this.respond(action.responses, signal);
          break;
        case 'finished':
          return contents.text(session, action.text);
        case 'too_many_turns':
          throw new AttemptFailed(`the step was not done after ${maxTurns} turns`);
      }
    }
  }

  /** Where a budget is spent the whole run waits. @throws AttemptWaits, or the error itself */
  private async wait(error: unknown): Promise<never> {
    if (!(error instanceof BudgetReached) || this.record.replay !== null) throw error;
    await askForBudget(this.record, error.holding, this.ports.clock);
    throw new AttemptWaits('the step waits for its budget');
  }

  async giveUp(): Promise<void> {
    const { ref } = this.request;
    const action = this.transcript.next(1);
    if (action.kind === 'run_tools') await this.tools.giveUp(action.calls, ref);
    const left = this.transcript.next(1);
    if (left.kind === 'respond') await this.respond(left.responses);
  }

  /** @throws BudgetDenied: it ends the run also while other steps are under way */
  private async callModel(signal: AbortSignal): Promise<void> {
    const { record, around } = this;
    requireNotDenied(record);
    const { contents, session } = record;
    const output = new CollectedText();
    const messages = [{ role: 'user' as const, content: this.request.message }, ...this.transcript.messages];
    const tools = this.tools.offer();
    const situation = around.situation();
    const { serverOf } = this.tools;
    const told = { messages, tools, serverOf, situation };
    const asked = { run: record, sink: record, kind: 'step' as const, output, ...told };
    const { calls: called, data } = await this.ports.turn.take(asked, signal);
    const calls = data.tool_calls ?? [];
    // Text and calls stand in one event.
    const isLarge = calls.length > 0 && !fitsInline(output.text + JSON.stringify(calls));
    const text = await (isLarge
      ? contents.toFile(session, output.text)
      : contents.store(session, output.text));
    const { attempt, ...step } = this.request.ref;
    await this.tools.writeTurn({ calls: called, data: { ...data, step, attempt, text } }, signal);
  }

  /** No tool is called before the log holds the intent to. Returns whether each call has its result. */
  private async runTools(signal: AbortSignal): Promise<boolean> {
    this.tools.offer();
    await this.record.settled();
    const open = (): readonly CallState[] => {
      const left = this.transcript.next(Infinity);
      return left.kind === 'run_tools' ? left.calls : [];
    };
    return (await this.tools.run(open, signal, this.request.ref)) === null;
  }

  private async respond(responses: readonly CallState[], signal?: AbortSignal): Promise<void> {
    const drafts = await this.tools.responses(responses);
    signal?.throwIfAborted();
    for (const [i, draft] of drafts.entries()) {
      this.record.write([draft, respondedOf(this.request.ref, responses[i]!.call.id)]);
    }
  }
}

const respondedOf = (ref: AttemptRef, tool_call_id: string): Draft => ({
  type: 'workflow_tool_responded',
  data: { ...ref, tool_call_id },
});
