import { ModelClient, ModelFailure, type ModelPiece, type ModelRequest, type ToolCall } from '#agent';
import { Gate } from './scripted-turn.js';

/** A piece, a fault, a door that the test opens, something to wait for, or silence until somebody stops waiting. */
export type ClientStep = ModelPiece | Error | Gate | (() => Promise<unknown>) | 'hang';
export type ClientScript =
  readonly (readonly ClientStep[])[] | ((request: ModelRequest, n: number) => readonly ClientStep[]);

export const text = (text: string): ModelPiece => ({ kind: 'text', text });
export const thought = (text: string): ModelPiece => ({ kind: 'thinking', text });
export const toolCall = (id: string, name: string, args: object | string = {}): ToolCall => ({
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
});

/** The end of a turn of 10 and 5 tokens, with these calls. */
export const done = (...toolCalls: readonly ToolCall[]): ModelPiece => ({
  kind: 'end',
  finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
  toolCalls,
  usage: { inputTokens: 10, outputTokens: 5, estimated: false },
});

/** A model at the port: says what the test wants, one turn after the other, and keeps what it was asked. */
export class ScriptedClient extends ModelClient {
  readonly requests: ModelRequest[] = [];
  private watchers: (() => void)[] = [];

  constructor(private readonly script: ClientScript) {
    super();
  }

  override async *stream(request: ModelRequest, signal: AbortSignal) {
    const n = this.requests.length;
    this.requests.push(request);
    for (const wake of this.watchers.splice(0)) wake();
    const steps = typeof this.script === 'function' ? this.script(request, n) : this.script[n];
    if (steps === undefined) throw new ModelFailure('refused', 'the script has run out');
    for (const step of steps) {
      signal.throwIfAborted();
      if (step instanceof Error) throw step;
      if (step === 'hang') await aborted(signal);
      else if (typeof step === 'function') await step();
      else if (step instanceof Gate) await Promise.race([step.arrive(), aborted(signal)]);
      else yield [step];
    }
    signal.throwIfAborted();
  }

  /** Resolves when so many requests have come. */
  async asked(n: number): Promise<void> {
    while (this.requests.length < n) await new Promise<void>((resolve) => this.watchers.push(resolve));
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
