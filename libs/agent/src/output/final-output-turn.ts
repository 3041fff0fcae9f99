import type { Content, RunEnd } from '#domain';
import { CollectedText } from '../run/collected-text.js';
import type { RunRecord } from '../run/run-record.js';
import { SchemaInUse, type Schemas, uncheckedWarning } from '#json-schema';
import type { ModelTurn, TurnRequest } from '../model/model-turn.js';
import { type FinalAnswer, type FinalOutputSpec, type FinalRequest, answerText } from './final-output.js';
import { produceFinalOutput } from './produce-final-output.js';

export type FinalOutputFound =
  | { readonly kind: 'ok'; readonly data: { readonly name: string; readonly content: Content } }
  | { readonly kind: 'invalid'; readonly end: RunEnd };

/** Asks the model for the run's final output, after its last turn; neither question nor answer is part of the history. */
export class FinalOutput {
  constructor(
    private readonly record: RunRecord,
    private readonly turn: ModelTurn,
    private readonly schemas: Schemas,
  ) {}

  /** @throws TurnFailed, or the signal's reason when it is aborted */
  async produce(request: TurnRequest, signal: AbortSignal): Promise<FinalOutputFound> {
    const { contents, session, project, state } = this.record;
    const { name, strict = false, schema } = state.config.final_output!;
    const inUse = new SchemaInUse(this.schemas, schema, project);
    const spec: FinalOutputSpec = { name, strict, schema, inUse };
    const recorded = await Promise.all(
      (state.finalAnswers ?? []).map((answer) => contents.text(session, answer)),
    );
    const ask = (asked: FinalRequest) => this.ask(request, asked, signal);
    const found = await produceFinalOutput({ ask }, spec, recorded, signal);
    if (found.kind === 'ok') {
      const news = uncheckedWarning('final_output.schema', found.unchecked);
      if (news !== null) this.record.write([news]);
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
    const { contents, session } = this.record;
    const output = new CollectedText();
    const { messages, ...form } = asked;
    const kind = 'final_output';
    const all = { ...request, ...form, kind, messages: [...request.messages, ...messages], output };
    const { calls, data: taken } = await this.turn.take(all as TurnRequest, signal);
    const { tool_calls = [], provider: _, ...data } = taken;
    const answer = { text: output.text, toolCalls: tool_calls };
    const text = await contents.store(session, answerText(answer));
    this.record.write([
      ...calls,
      { type: 'model_turn_completed', data: { ...data, text, final_output: true } },
    ]);
    return answer;
  }
}
