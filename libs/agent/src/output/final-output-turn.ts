import type { Content, RunEnd, RunState } from '#domain';
import type { ContentStore } from '#vault';
import type { RunSink } from '../run/block-writer.js';
import { CollectedText } from '../run/collected-text.js';
import { SchemaInUse, type Schemas, uncheckedWarning } from '#json-schema';
import type { ModelTurn, TurnRequest } from '../model/model-turn.js';
import { type FinalAnswer, type FinalOutputSpec, type FinalRequest, answerText } from './final-output.js';
import { produceFinalOutput } from './produce-final-output.js';

export interface FinalOutputTurnPorts {
  readonly contents: ContentStore;
  readonly turn: ModelTurn;
  readonly session: string;
  readonly sink: RunSink;
  readonly schemas: Schemas;
  readonly project: string;
}

export type FinalOutputFound =
  | { readonly kind: 'ok'; readonly data: { readonly name: string; readonly content: Content } }
  | { readonly kind: 'invalid'; readonly end: RunEnd };

/** Asks the model for the run's final output, after its last turn; neither question nor answer is part of the history. */
export class FinalOutput {
  constructor(private readonly ports: FinalOutputTurnPorts) {}

  /** @throws TurnFailed, or the signal's reason when it is aborted */
  async produce(state: RunState, request: TurnRequest, signal: AbortSignal): Promise<FinalOutputFound> {
    const { contents, session, schemas, project } = this.ports;
    const { name, strict = false, schema } = state.config.final_output!;
    const inUse = new SchemaInUse(schemas, schema, project);
    const spec: FinalOutputSpec = { name, strict, schema, inUse };
    const recorded = await Promise.all(
      (state.finalAnswers ?? []).map((answer) => contents.text(session, answer)),
    );
    const ask = (asked: FinalRequest) => this.ask(request, asked, signal);
    const found = await produceFinalOutput({ ask }, spec, recorded, signal);
    if (found.kind === 'ok') {
      const news = uncheckedWarning('final_output.schema', found.unchecked);
      if (news !== null) this.ports.sink.write([news]);
      return {
        kind: 'ok',
        data: { name, content: await contents.store(session, JSON.stringify(found.value)) },
      };
    }
    const message = `the model gave no output that matches the schema: ${found.errors.join('; ')}`.slice(
      0,
      2000,
    );
    return {
      kind: 'invalid',
      end: { kind: 'failed', code: 'final_output_invalid', message, isRetryable: true },
    };
  }

  /** The answer is in the journal before it is looked at: after a crash the model is not asked for it again. */
  private async ask(request: TurnRequest, asked: FinalRequest, signal: AbortSignal): Promise<FinalAnswer> {
    const { contents, turn, session, sink } = this.ports;
    const output = new CollectedText();
    const { messages, ...form } = asked;
    const all = { ...request, ...form, messages: [...request.messages, ...messages], output };
    const { tool_calls = [], provider: _, ...data } = await turn.take(all as TurnRequest, signal);
    const answer = { text: output.text, toolCalls: tool_calls };
    const text = await contents.store(session, answerText(answer));
    sink.write([{ type: 'model_turn_completed', data: { ...data, text, final_output: true } }]);
    return answer;
  }
}
