import type { ModelMessage, ToolCall } from '#agent';
import type { ProviderFields } from './provider-fields.js';
import type { Fill, RequestForm } from './request-form.js';

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

export type SentUser = Extract<ModelMessage, { role: 'user' }>;

/** A message as it is sent. */
export type SentMessage = Exclude<ModelMessage, { role: 'assistant' }> | SentAssistant;

/** Made once for each message of a history, which is the same object from turn to turn. */
const made = new WeakMap<object, { readonly to: string; readonly message: SentAssistant }>();

/** With what the server sent in it, where it was this server and this model. */
export function sentMessages(
  messages: readonly ModelMessage[],
  form: RequestForm,
  server: string,
  model: string,
): readonly SentMessage[] {
  const isPlain = form.fills.size === 0 && !messages.some(isProvided);
  if (isPlain) return messages;
  const to = JSON.stringify([server, model, ...form.withoutFields, '', ...form.fills]);
  return messages.map((message) => {
    if (message.role !== 'assistant') return message;
    let found = made.get(message);
    if (found?.to !== to) {
      const fields = fieldsIn(message.provider, server, model);
      found = { to, message: filled(withFields(message, fields, form.withoutFields), form.fills) };
      made.set(message, found);
    }
    return found.message;
  });
}

const isProvided = (message: ModelMessage): boolean =>
  message.role === 'assistant' && message.provider !== undefined;

/** The names of the fields that go back to the server with a request. */
export function namesOfFields(messages: readonly SentMessage[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const extra of [message.extra, ...(message.toolCalls ?? []).map((call) => call.extra)])
      for (const name of Object.keys(extra ?? {})) names.add(name);
  }
  return names;
}

function fieldsIn(provider: string | undefined, server: string, model: string): Partial<ProviderFields> {
  if (provider === undefined) return {};
  const fields = JSON.parse(provider) as ProviderFields;
  return fields.server === server && fields.model === model ? fields : {};
}

function withFields(
  { role, content, toolCalls = [] }: SentAssistant,
  fields: Partial<ProviderFields>,
  without: ReadonlySet<string>,
): SentAssistant {
  const calls = toolCalls.map((call, at): SentCall => {
    const extra = taken(fields.calls?.[at], without);
    return extra === undefined ? call : { ...call, extra };
  });
  const extra = taken(fields.message, without);
  return {
    role,
    content,
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function taken(extra: Fields | null | undefined, without: ReadonlySet<string>): Fields | undefined {
  if (!extra || without.size === 0) return extra ?? undefined;
  const left = Object.entries(extra).filter(([name]) => !without.has(name));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** As Google documents it for calls that are of another model. */
const UNSIGNED = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } };

function filled(message: SentAssistant, fills: ReadonlySet<Fill>): SentAssistant {
  let all = message;
  if (fills.has('reasoning_content')) all = { ...all, extra: { reasoning_content: '', ...all.extra } };
  const [first, ...others] = all.toolCalls ?? [];
  if (!fills.has('thought_signature') || first === undefined) return all;
  const isSigned = [first, ...others].some(({ extra }) => extra?.['extra_content'] !== undefined);
  if (isSigned) return all;
  return { ...all, toolCalls: [{ ...first, extra: { ...first.extra, ...UNSIGNED } }, ...others] };
}
