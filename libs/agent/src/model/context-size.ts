import { type ContextMessage, cutToBudget, lengthOf } from '#domain';

/** What an image counts, in the budget of the context and where the server does not count: about 1,500 tokens, as a large one. */
export const IMAGE_CHARS = 6_000;

/** Characters that a message counts in the budget of the context. */
export function sizeOf(message: ContextMessage): number {
  const content = lengthOf(message.content);
  if (message.role === 'tool') return content + IMAGE_CHARS * (message.images?.length ?? 0);
  if (message.role !== 'assistant') return content;
  const { toolCalls = [], provider = '' } = message;
  return toolCalls.reduce(
    (sum, call) => sum + call.name.length + call.arguments.length,
    content + lengthOf(provider),
  );
}

/** Whether fewer messages fit into `less` than into `budget`: the last ones always stay. */
export const isLess = (messages: readonly ContextMessage[], less: number, budget: number): boolean =>
  cutToBudget(messages, less, sizeOf).length < cutToBudget(messages, budget, sizeOf).length;

export const sizeOfAll = (messages: readonly ContextMessage[]): number =>
  messages.reduce((sum, m) => sum + sizeOf(m), 0);
