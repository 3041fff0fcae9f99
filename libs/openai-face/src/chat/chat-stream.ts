import type { Passage, StreamEvent } from '../passage.js';
import { chatError, chatUsage, finishReason, headOf } from './chat-completion.js';

type Fields = Readonly<Record<string, unknown>>;

/** Makes the chunks of a chat completion from the records of its response. */
export class ChatStream {
  private calls = 0;

  /** @param hasUsage the last chunk says what was used */
  constructor(
    private readonly hasUsage: boolean,
    private readonly say: (chunk: object) => void,
  ) {}

  hear(event: StreamEvent, passage: Passage): void {
    const fields = event as unknown as Fields;
    switch (event.type) {
      case 'response.created':
        return this.delta(passage, { role: 'assistant', content: '', refusal: null });
      case 'response.output_text.delta':
        return this.delta(passage, { content: fields['delta'] });
      case 'response.reasoning_summary_text.delta':
        return this.delta(passage, { reasoning_content: fields['delta'] });
      case 'response.output_item.done':
        return this.call(passage, fields['item'] as Fields);
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.end(passage);
    }
  }

  private call(passage: Passage, { type, call_id: id, name, arguments: input }: Fields): void {
    if (type !== 'function_call') return;
    const index = this.calls++;
    const begun = { index, id, type: 'function', function: { name, arguments: '' } };
    this.delta(passage, { tool_calls: [begun] });
    this.delta(passage, { tool_calls: [{ index, function: { arguments: input } }] });
  }

  private end(passage: Passage): void {
    const error = chatError(passage);
    if (error !== null)
      return this.say({ error: { ...error, type: 'server_error', param: null, code: 'server_error' } });
    this.delta(passage, {}, finishReason(passage));
    if (this.hasUsage) this.say({ ...this.chunk(passage, []), usage: chatUsage(passage.spent) });
  }

  private delta(passage: Passage, delta: object, finish_reason: string | null = null): void {
    this.say(this.chunk(passage, [{ index: 0, delta, logprobs: null, finish_reason }]));
  }

  private chunk(passage: Passage, choices: readonly object[]): object {
    return {
      ...headOf(passage, 'chat.completion.chunk'),
      choices,
      service_tier: 'default',
      system_fingerprint: null,
      ...(this.hasUsage ? { usage: null } : {}),
    };
  }
}
