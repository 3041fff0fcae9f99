import type { Content, ContextCall, ContextMessage } from '#domain/browser';

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

/** A message of the context. @param textOf what a content says that may lie in a file */
export function chatMessage(message: ContextMessage, textOf: (content: Content) => string): ChatMessage {
  const content = textOf(message.content);
  switch (message.role) {
    case 'user':
    case 'system':
      return { role: message.role, content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content };
    case 'assistant': {
      const { toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role: 'assistant', content };
      return {
        role: 'assistant',
        content: content === '' ? null : content,
        tool_calls: toolCalls.map((call) => chatCall(call, textOf)),
      };
    }
  }
}

const chatCall = (
  { id, name, arguments: input }: ContextCall,
  textOf: (content: Content) => string,
): ChatToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: textOf(input) },
});
