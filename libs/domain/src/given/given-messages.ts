import type { Content } from '../content.js';
import type { ContextCall, ContextMessage, ToolMessage } from '../context-message.js';
import { type GivenItem, type GivenPart, textsOf } from './given-item.js';

/** What the model is told of given items. */
export interface Told {
  readonly messages: readonly ContextMessage[];
  /** Results of calls that were given before. */
  readonly results: readonly ToolMessage[];
}

/** Messages in their order, calls with what was said before them, and each result behind its call, wherever it stood. */
export function givenMessages(items: readonly GivenItem[]): Told {
  const messages: ContextMessage[] = [];
  const results: ToolMessage[] = [];
  for (const item of items) {
    switch (item.kind) {
      case 'message':
        messages.push(...messagesOf(item.role, item.parts));
        break;
      case 'call':
        addCall(messages, { id: item.id, name: item.name, arguments: item.arguments });
        break;
      case 'result':
        if (!addResult(messages, item.id, item.output))
          results.push({ role: 'tool', callId: item.id, content: item.output });
        break;
      case 'server_call':
        addCall(messages, { id: item.id, name: item.name, arguments: item.arguments });
        addResult(messages, item.id, item.output);
        break;
      case 'question':
      case 'decision':
        break;
    }
  }
  return { messages, results };
}

function messagesOf(
  role: Extract<GivenItem, { kind: 'message' }>['role'],
  parts: readonly GivenPart[],
): readonly ContextMessage[] {
  const texts = textsOf(parts);
  const content = oneTextOf(texts);
  const isPlain = parts.length === 1 && parts[0]?.kind === 'text';
  if (role === 'user') return [{ role, content, ...(isPlain ? {} : { parts }) }];
  // They are told as one text, which is put together when those that lie in files are read.
  const isOne = isPlain || texts.every((text) => typeof text === 'string');
  const said = { content, ...(isOne ? {} : { parts }) };
  if (role === 'assistant') return [{ role, ...said }];
  return texts.length === 0 ? [] : [{ role: 'system', ...said }];
}

/** Joined with nothing between; of texts that lie in files the first stands for all where one alone is asked for. */
function oneTextOf(texts: readonly Content[]): Content {
  const inline = texts.filter((text) => typeof text === 'string');
  return inline.length === texts.length ? inline.join('') : (texts[0] ?? '');
}

/** Behind what was said before it in the same turn. */
function addCall(messages: ContextMessage[], call: ContextCall): void {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') {
    messages.push({ role: 'assistant', content: '', toolCalls: [call] });
    return;
  }
  messages[messages.length - 1] = { ...last, toolCalls: [...(last.toolCalls ?? []), call] };
}

/** Behind the results of the same turn: models take them nowhere else. Returns whether its call is there. */
function addResult(messages: ContextMessage[], callId: string, content: Content): boolean {
  const turn = messages.findLastIndex(
    (m) => m.role === 'assistant' && m.toolCalls?.some(({ id }) => id === callId) === true,
  );
  if (turn < 0) return false;
  let at = turn + 1;
  while (messages[at]?.role === 'tool') at++;
  messages.splice(at, 0, { role: 'tool', callId, content });
  return true;
}
