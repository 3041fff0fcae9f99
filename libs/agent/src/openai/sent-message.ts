import type { ModelMessage, ToolCall } from '../model-client.js';
import type { ProviderFields } from './provider-fields.js';

type Fields = Readonly<Record<string, unknown>>;

/** A call as it is sent. */
export interface SentCall extends ToolCall {
  /** What its server sent with it and wants back. */
  readonly extra?: Fields;
}

export interface SentAssistant {
  readonly role: 'assistant';
  readonly content: string;
  readonly toolCalls?: readonly SentCall[];
  readonly extra?: Fields;
}

/** A message as it is sent. */
export type SentMessage = Exclude<ModelMessage, { role: 'assistant' }> | SentAssistant;

/** Made once for each message of a history, which is the same object from turn to turn. */
const made = new WeakMap<object, { readonly to: string; readonly message: SentAssistant }>();

/** With what the server sent in it, where it was this server and this model. */
export function sentMessages(
  messages: readonly ModelMessage[],
  server: string,
  model: string,
): readonly SentMessage[] {
  if (!messages.some((message) => message.role === 'assistant' && message.provider !== undefined))
    return messages;
  return messages.map((message) => {
    if (message.role !== 'assistant' || message.provider === undefined) return message;
    const to = `${server} ${model}`;
    let found = made.get(message);
    if (found?.to !== to) {
      found = { to, message: withFields(message, message.provider, server, model) };
      made.set(message, found);
    }
    return found.message;
  });
}

function withFields(message: SentAssistant, provider: string, server: string, model: string): SentAssistant {
  const { role, content, toolCalls = [] } = message;
  const plain: SentAssistant = { role, content, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
  const fields = JSON.parse(provider) as ProviderFields;
  if (fields.server !== server || fields.model !== model) return plain;
  const calls = toolCalls.map((call, at) => {
    const extra = fields.calls?.[at];
    return extra ? { ...call, extra } : call;
  });
  return {
    ...plain,
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(fields.message === undefined ? {} : { extra: fields.message }),
  };
}
