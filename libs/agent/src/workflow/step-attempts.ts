import type { AttemptRef, AttemptTranscript, CallState, Draft } from '#domain';
import { fitsInline } from '#vault';
import type { RunSink } from '../run/block-writer.js';
import { CollectedText } from '../run/collected-text.js';
import type { ModelTurn } from '../model/model-turn.js';
import type { Situation } from '../model/prompt.js';
import type { RunRecord } from '../run/run-record.js';
import type { RunWatch } from '../run/run-watch.js';
import type { Tool } from '../tools/tool.js';
import { ToolRunner } from '../tools/tool-runner.js';
import { AttemptFailed, type AttemptRequest } from './workflow-runner.js';

export interface StepAttemptPorts {
  readonly turn: ModelTurn;
  readonly watch?: RunWatch | undefined;
}

/** What an attempt may use now, and what it is told of that. */
export interface StepSurroundings {
  readonly tools: () => readonly Tool[];
  readonly situation: () => Situation;
}

/** Runs attempts of workflow steps: each is a small conversation of its own, journaled like the run's. */
export class StepAttempts {
  constructor(
    private readonly record: RunRecord,
    private readonly ports: StepAttemptPorts,
    private readonly around: StepSurroundings,
    private readonly maxTurns: number,
  ) {}

  /** The text of the attempt's last turn. @throws AttemptFailed, TurnFailed, or what ends the run */
  run(request: AttemptRequest, signal: AbortSignal): Promise<string> {
    return this.attempt(request).run(signal, this.maxTurns);
  }

  /** Ends the calls that an attempt has left open without making them: nobody knows what became of them. */
  giveUp(left: Pick<AttemptRequest, 'ref' | 'transcript'>): Promise<void> {
    return this.attempt({ ...left, message: '' }).giveUp();
  }

  private attempt(request: Omit<AttemptRequest, 'step'>): StepAttempt {
    return new StepAttempt(request, this.record, this.ports, this.around);
  }
}

class StepAttempt implements RunSink {
  private readonly tools: ToolRunner;
  private readonly transcript: AttemptTranscript;

  constructor(
    private readonly request: Omit<AttemptRequest, 'step'>,
    private readonly record: RunRecord,
    private readonly ports: StepAttemptPorts,
    private readonly around: StepSurroundings,
  ) {
    this.tools = new ToolRunner(record, this, ports.watch);
    this.transcript = request.transcript;
  }

  async run(signal: AbortSignal, maxTurns: number): Promise<string> {
    const { contents, session } = this.record;
    for (;;) {
      signal.throwIfAborted();
      const action = this.transcript.next(maxTurns);
      switch (action.kind) {
        case 'call_model':
          await this.callModel(signal);
          break;
        case 'run_tools':
          await this.runTools(action.calls, signal);
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

  async giveUp(): Promise<void> {
    const { ref } = this.request;
    const action = this.transcript.next(1);
    if (action.kind === 'run_tools') await this.tools.giveUp(action.calls, ref);
    const left = this.transcript.next(1);
    if (left.kind === 'respond') await this.respond(left.responses);
  }

  write(drafts: readonly Draft[]): void {
    this.record.write(drafts);
    for (const draft of drafts) this.transcript.push(draft);
  }

  /** A step's text is no event of its own. */
  writeText(): void {}

  private async callModel(signal: AbortSignal): Promise<void> {
    const { record, around } = this;
    const { contents, session } = record;
    const output = new CollectedText();
    const messages = [{ role: 'user' as const, content: this.request.message }, ...this.transcript.messages];
    const tools = this.tools.offer(around.tools());
    const asked = { run: record, sink: this, messages, tools, output, situation: around.situation() };
    const data = await this.ports.turn.take(asked, signal);
    const calls = data.tool_calls ?? [];
    // Text and calls stand in one event.
    const isLarge = calls.length > 0 && !fitsInline(output.text + JSON.stringify(calls));
    const text = await (isLarge
      ? contents.toFile(session, output.text)
      : contents.store(session, output.text));
    this.tools.startTurn(calls);
    const { attempt, ...step } = this.request.ref;
    const uses = calls.length > 0 ? await this.tools.uses(calls) : [];
    signal.throwIfAborted();
    this.write([{ type: 'model_turn_completed', data: { ...data, step, attempt, text } }, ...uses]);
  }

  /** No tool is called before the log holds the intent to. */
  private async runTools(calls: readonly CallState[], signal: AbortSignal): Promise<void> {
    this.tools.offer(this.around.tools());
    await this.record.settled();
    await this.tools.run(calls, signal, this.request.ref);
  }

  private async respond(responses: readonly CallState[], signal?: AbortSignal): Promise<void> {
    const drafts = await this.tools.responses(responses);
    signal?.throwIfAborted();
    for (const [i, draft] of drafts.entries()) {
      this.write([draft, respondedOf(this.request.ref, responses[i]!.call.id)]);
    }
  }
}

const respondedOf = (ref: AttemptRef, tool_call_id: string): Draft => ({
  type: 'workflow_tool_responded',
  data: { ...ref, tool_call_id },
});
