import type { AttemptRef, AttemptTranscript, CallState, Draft, RunState } from '#domain';
import { type ContentStore, fitsInline } from '#vault';
import type { RunSink } from '../run/block-writer.js';
import { CollectedText } from '../run/collected-text.js';
import type { ModelTurn, TurnRequest } from '../model/model-turn.js';
import type { RunWatch } from '../run/run-watch.js';
import type { Tool } from '../tools/tool.js';
import { ToolRunner } from '../tools/tool-runner.js';
import { AttemptFailed, type AttemptRequest } from './workflow-runner.js';

export interface StepAttemptPorts {
  readonly session: string;
  readonly contents: ContentStore;
  readonly turn: ModelTurn;
  readonly watch?: RunWatch | undefined;
  /** What of a request to the model is the same for every turn of the run. */
  readonly request: () => Omit<TurnRequest, 'messages' | 'tools' | 'sink'> & { readonly state: RunState };
  readonly tools: () => readonly Tool[];
  readonly write: (drafts: readonly Draft[]) => void;
  /** Resolves when everything written so far is on the log. */
  readonly settled: () => Promise<void>;
  readonly maxTurns: number;
}

/** Runs attempts of workflow steps: each is a small conversation of its own, journaled like the run's. */
export class StepAttempts {
  constructor(private readonly ports: StepAttemptPorts) {}

  /** The text of the attempt's last turn. @throws AttemptFailed, TurnFailed, or what ends the run */
  run(request: AttemptRequest, signal: AbortSignal): Promise<string> {
    return new StepAttempt(request, this.ports).run(signal);
  }

  /** Ends the calls that an attempt has left open without making them: nobody knows what became of them. */
  giveUp(left: Pick<AttemptRequest, 'ref' | 'transcript'>): Promise<void> {
    return new StepAttempt({ ...left, message: '' }, this.ports).giveUp();
  }
}

class StepAttempt implements RunSink {
  private readonly tools: ToolRunner;
  private readonly transcript: AttemptTranscript;

  constructor(
    private readonly request: Omit<AttemptRequest, 'step'>,
    private readonly ports: StepAttemptPorts,
  ) {
    this.tools = new ToolRunner(ports.contents, ports.session, this, ports.watch);
    this.transcript = request.transcript;
  }

  async run(signal: AbortSignal): Promise<string> {
    const { contents, session, maxTurns } = this.ports;
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
    this.ports.write(drafts);
    for (const draft of drafts) this.transcript.push(draft);
  }

  /** A step's text is no event of its own. */
  writeText(): void {}

  private async callModel(signal: AbortSignal): Promise<void> {
    const { contents, session, turn, request } = this.ports;
    const output = new CollectedText();
    const messages = [{ role: 'user' as const, content: this.request.message }, ...this.transcript.messages];
    const tools = this.tools.offer(this.ports.tools());
    const data = await turn.take({ ...request(), messages, tools, sink: this, output }, signal);
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
    this.tools.offer(this.ports.tools());
    await this.ports.settled();
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
