import { createHash } from 'node:crypto';
import type { SentMessage } from './sent-message.js';

/** Ids of calls of nine letters and digits, which is what the strictest server wants (Mistral). */
export const withShortIds = (messages: readonly SentMessage[]): SentMessage[] =>
  messages.map((message) => {
    if (message.role === 'tool') return { ...message, callId: shortId(message.callId) };
    if (message.role !== 'assistant' || message.toolCalls === undefined) return message;
    return { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: shortId(call.id) })) };
  });

const IS_SHORT = /^[a-zA-Z0-9]{9}$/;

function shortId(id: string): string {
  if (IS_SHORT.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex');
  return BigInt(`0x${hash}`).toString(36).slice(-9);
}
