import { type Fields, isNothing, isObject, mergedList, mergedValue } from './merged-value.js';
import type { AssembledCall } from './tool-call-assembler.js';

/**
 * What a server sent with an assistant message besides what we know: thought signatures, reasoning beside tool calls.
 * Some servers refuse the session if it does not come back as it was. Kept as JSON text with the turn, on the log.
 */
export interface ProviderFields {
  /** Which server it came from: it means nothing to another. */
  readonly server: string;
  readonly model: string;
  /** Fields of the message. */
  readonly message?: Readonly<Fields>;
  /** Fields of its calls, in their order; null: none. */
  readonly calls?: readonly (Readonly<Fields> | null)[];
}

/** What we know, or what no server wants back. */
const KNOWN = new Set(
  (
    'role content refusal tool_calls function_call index name type audio annotations parsed logprobs token_ids ' +
    'prompt_token_ids padding obfuscation stop_reason images usage id object created model __proto__'
  ).split(' '),
);
/** The model's thinking as mere text: wanted back beside tool calls only, and refused by some elsewhere. */
const THINKING = new Set(['reasoning_content', 'reasoning', 'reasoning_text', 'thinking']);
/** Collects them from the pieces of one answer. */
export class ProviderFieldsReader {
  private readonly message: Fields = {};
  private parts: unknown[] | undefined;

  /** @param delta a piece of the message, or all of it as far as it has come */
  add(delta: object, isWhole: boolean): void {
    for (const key in delta) {
      if (KNOWN.has(key)) continue;
      const value = (delta as Fields)[key];
      if (isNothing(value)) continue;
      this.message[key] = isWhole ? value : mergedValue(key, this.message[key], value);
    }
  }

  /**
   * The content as the list of parts that it comes in; some servers send only what is more than text so.
   * @param before the text that came before it
   */
  addParts(parts: readonly unknown[], before: string): void {
    this.parts ??= before === '' ? [] : [textPart(before)];
    this.parts = mergedList(
      this.parts,
      parts.map((part) => (typeof part === 'string' ? textPart(part) : part)),
    );
  }

  /** Text that is no part of such a list. */
  addText(text: string): void {
    if (this.parts !== undefined) this.parts = mergedList(this.parts, [textPart(text)]);
  }

  /** As it is kept; undefined: there is nothing. */
  written(server: string, model: string, calls: readonly AssembledCall[]): string | undefined {
    const message = { ...this.message };
    if (this.parts !== undefined && !this.parts.every(isTextOnly)) message['content'] = this.parts;
    if (calls.length === 0) for (const key of THINKING) delete message[key];
    const extras = calls.map(({ extra }) => (Object.keys(extra).length === 0 ? null : extra));
    const hasMessage = Object.keys(message).length > 0;
    const hasCalls = extras.some((extra) => extra !== null);
    if (!hasMessage && !hasCalls) return undefined;
    const fields: ProviderFields = {
      server,
      model,
      ...(hasMessage ? { message } : {}),
      ...(hasCalls ? { calls: extras } : {}),
    };
    return JSON.stringify(fields);
  }
}

const textPart = (text: string) => ({ type: 'text', text });

const isTextOnly = (part: unknown): boolean =>
  isObject(part) &&
  (part['type'] ?? 'text') === 'text' &&
  Object.keys(part).every((key) => key === 'type' || key === 'text');
