import type { ContextMessage, TurnToolCall } from '#domain/browser';

export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A message as Chat Completions takes it. */
export type ChatMessage =
  | { readonly role: 'user' | 'system'; readonly content: string }
  | {
      readonly role: 'assistant';
      /** null: it called tools and said nothing. */
      readonly content: string | null;
      readonly tool_calls?: readonly ChatToolCall[];
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/** A message of the context, whose content is this text. @param toolCalls of an assistant: its calls, read */
export function chatMessage(
  message: ContextMessage,
  content: string,
  toolCalls: readonly TurnToolCall[] = [],
): ChatMessage {
  switch (message.role) {
    case 'user':
    case 'system':
      return { role: message.role, content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content };
    case 'assistant':
      if (toolCalls.length === 0) return { role: 'assistant', content };
      return {
        role: 'assistant',
        content: content === '' ? null : content,
        tool_calls: toolCalls.map(chatCall),
      };
  }
}

const chatCall = ({ id, name, arguments: input }: TurnToolCall): ChatToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: input },
});
