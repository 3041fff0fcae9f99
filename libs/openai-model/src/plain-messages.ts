import type { SentAssistant as Assistant, SentCall, SentMessage } from './sent-message.js';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const NO_ANSWER = '(no answer)';

/**
 * The messages in a form that the strictest server takes: names of 1 to 64 letters, digits, _ and -, ids that are unique
 * in the request, arguments that are a JSON object, no empty message of a user or of the model, each call with its
 * result. What a model or a person said otherwise stands on the log. What needs no change is the same object.
 */
export function plainMessages(messages: readonly SentMessage[]): SentMessage[] {
  const plain: SentMessage[] = [];
  const ids = new Set<string>();
  let open = new Map<string, string>();
  const closeOpen = () => {
    for (const callId of open.values())
      plain.push({ role: 'tool', callId, content: 'outcome unknown: no result was recorded' });
    open = new Map();
  };
  for (const message of messages) {
    if (message.role === 'tool') {
      const id = open.get(message.callId);
      // A result of no call is none.
      if (id === undefined) continue;
      open.delete(message.callId);
      plain.push(id === message.callId ? message : { ...message, callId: id });
      continue;
    }
    closeOpen();
    if (message.role === 'assistant' && (message.toolCalls ?? []).length > 0) {
      const { message: mapped, ids: own } = withPlainCalls(message, ids);
      plain.push(mapped);
      open = own;
    } else if (message.role !== 'system' && message.content.trim() === '' && !hasParts(message))
      plain.push({ ...message, content: message.role === 'user' ? '(empty message)' : NO_ANSWER });
    else plain.push(message);
  }
  closeOpen();
  return plain;
}

const hasParts = (message: SentMessage): boolean =>
  message.role === 'user' && (message.parts ?? []).length > 0;

function withPlainCalls(
  message: Assistant,
  ids: Set<string>,
): { message: Assistant; ids: Map<string, string> } {
  const own = new Map<string, string>();
  const calls = (message.toolCalls ?? []).filter(({ id }) => !own.has(id) && own.set(id, id));
  const plain = calls.map((call) => {
    let id = call.id;
    for (let n = 1; id === '' || ids.has(id); n++) id = `${call.id || 'call'}_${n}`;
    ids.add(id);
    own.set(call.id, id);
    return plainCall(call, id);
  });
  const isSame = plain.length === message.toolCalls?.length && plain.every((call, at) => call === calls[at]);
  return { message: isSame ? message : { ...message, toolCalls: plain }, ids: own };
}

function plainCall(call: SentCall, id: string): SentCall {
  const name = NAME.test(call.name) ? call.name : nameOf(call.name);
  const args = isObject(call.arguments) ? call.arguments : '{}';
  return id === call.id && name === call.name && args === call.arguments
    ? call
    : { ...call, id, name, arguments: args };
}

const nameOf = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';

/** Some servers parse the arguments of old calls and would refuse the session for ever if one were broken. */
function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/**
 * The same in the order that the strictest servers want: the user and the model take turns, and calls of one turn are told
 * one after the other, each with its result.
 */
export function inStrictOrder(messages: readonly SentMessage[]): SentMessage[] {
  const strict: SentMessage[] = [];
  for (const message of messages.flatMap((one, at) => callsInTurn(one, messages, at))) {
    const last = strict.at(-1);
    if (message.role === 'user' && (last?.role === 'user' || last?.role === 'tool'))
      strict.push({ role: 'assistant', content: NO_ANSWER });
    if (message.role === 'assistant' && isText(last)) {
      const content = [last.content, message.content].filter((text) => text !== '').join('\n\n');
      // What came with either is of no use to the two as one.
      strict[strict.length - 1] = { ...withoutExtra(message), content };
    } else strict.push(message);
  }
  return strict;
}

const withoutExtra = ({ role, content, toolCalls }: Assistant): Assistant =>
  toolCalls === undefined ? { role, content } : { role, content, toolCalls };

const isText = (message: SentMessage | undefined): message is Assistant =>
  message?.role === 'assistant' && (message.toolCalls ?? []).length === 0;

/** A message with several calls as one message a call; their results come with it. */
function callsInTurn(message: SentMessage, messages: readonly SentMessage[], at: number): SentMessage[] {
  if (message.role === 'tool') return resultStandsAlone(messages, at) ? [message] : [];
  if (message.role !== 'assistant' || (message.toolCalls ?? []).length < 2) return [message];
  const { toolCalls = [] } = message;
  const results = messages.slice(at + 1, at + 1 + toolCalls.length);
  return toolCalls.flatMap((call, n): SentMessage[] => {
    const result = results.find((one) => one.role === 'tool' && one.callId === call.id);
    const own: SentMessage =
      n === 0
        ? { ...message, toolCalls: [call] }
        : { ...withoutExtra(message), content: '', toolCalls: [call] };
    return result === undefined ? [own] : [own, result];
  });
}

function resultStandsAlone(messages: readonly SentMessage[], at: number): boolean {
  const before = messages.slice(0, at).findLast((one) => one.role !== 'tool');
  return before?.role !== 'assistant' || (before.toolCalls ?? []).length < 2;
}

/** The same without calls: the model says in words what it called, and the user what came of it. */
export function inWords(messages: readonly SentMessage[]): SentMessage[] {
  const told: SentMessage[] = [];
  const names = new Map<string, string>();
  for (const message of messages) {
    const last = told.at(-1);
    if (message.role === 'tool') {
      const content = `[result of ${names.get(message.callId)}: ${message.content}]`;
      if (isResult(last)) told[told.length - 1] = { role: 'user', content: `${last.content}\n${content}` };
      else told.push({ role: 'user', content });
    } else if (message.role === 'assistant' && message.toolCalls !== undefined) {
      const calls = message.toolCalls.map((call) => `[called ${call.name} with ${call.arguments}]`);
      for (const { id, name } of message.toolCalls) names.set(id, name);
      told.push({
        role: 'assistant',
        content: [message.content, ...calls].filter((text) => text !== '').join('\n'),
      });
    } else told.push(message);
  }
  return told;
}

const isResult = (message: SentMessage | undefined): message is SentMessage & { role: 'user' } =>
  message?.role === 'user' && message.content.startsWith('[result of ');
