import type { Passage, StreamEvent } from '../passage.js';
import { chatError, chatUsage, contentOf, errorBody, finishReason, headOf } from './chat-completion.js';

type Fields = Readonly<Record<string, unknown>>;

const TAKEN_BACK = {
  message:
    'model_broke_off: what was sent until here was taken back, for the model broke off and said something else when it was asked again; the run goes on, and holds the whole answer',
};

/**
 * Makes the chunks of a chat completion from the records of its response. A chunk cannot be taken back: where the model
 * breaks off and is asked again, what it says once more is left out, and where it says something else the stream ends with
 * an error.
 */
export class ChatStream {
  private calls = 0;
  /** The text that was sent. */
  private sent = '';
  /** A turn broke off, and what was sent of it was not said again yet. */
  private isBroken = false;
  private hasFailed = false;

  /** @param hasUsage the last chunk says what was used */
  constructor(
    private readonly hasUsage: boolean,
    private readonly say: (chunk: object) => void,
  ) {}

  hear(event: StreamEvent, passage: Passage): void {
    if (this.hasFailed) return;
    const fields = event as unknown as Fields;
    switch (event.type) {
      case 'response.created':
        return this.delta(passage, { role: 'assistant', content: '', refusal: null });
      case 'response.output_text.delta':
        return this.text(passage, fields['delta'] as string);
      case 'response.reasoning_summary_text.delta':
        return this.delta(passage, { reasoning_content: fields['delta'] });
      case 'response.output_item.done':
        return this.done(passage, fields['item'] as Fields);
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.end(passage);
    }
  }

  private text(passage: Passage, delta: string): void {
    if (!this.isBroken) return this.content(passage, delta);
    const whole = contentOf(passage);
    if (this.sent.startsWith(whole)) return;
    if (!whole.startsWith(this.sent)) return this.fail(TAKEN_BACK);
    this.isBroken = false;
    this.content(passage, whole.slice(this.sent.length));
  }

  private content(passage: Passage, content: string): void {
    this.sent += content;
    this.delta(passage, { content });
  }

  private done(passage: Passage, { type, status, ...item }: Fields): void {
    if (type === 'message' && status === 'incomplete') this.isBroken = true;
    if (type === 'function_call') this.call(passage, item);
  }

  private call(passage: Passage, { call_id: id, name, arguments: input }: Fields): void {
    const index = this.calls++;
    const begun = { index, id, type: 'function', function: { name, arguments: '' } };
    this.delta(passage, { tool_calls: [begun] });
    this.delta(passage, { tool_calls: [{ index, function: { arguments: input } }] });
  }

  private end(passage: Passage): void {
    const isTakenBack = this.isBroken && contentOf(passage) !== this.sent;
    const error = chatError(passage) ?? (isTakenBack ? TAKEN_BACK : null);
    if (error !== null) return this.fail(error);
    this.delta(passage, {}, finishReason(passage));
    if (this.hasUsage) this.say({ ...this.chunk(passage, []), usage: chatUsage(passage.spent) });
  }

  private fail(error: { readonly message: string }): void {
    this.hasFailed = true;
    this.say(errorBody(error));
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
