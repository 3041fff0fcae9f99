import type { CallSums } from '#domain';
import { completionId } from '../ids.js';
import type { FunctionCallItem } from '../items.js';
import type { Passage } from '../passage.js';

/** What of a completion stands in each of its records. */
export const headOf = ({ beginning: { run, time, mode } }: Passage, object: string) => ({
  id: completionId(run),
  object,
  created: Math.floor(time / 1000),
  model: mode,
});

/** A run's only passage, which has ended and has not failed, as a chat completion. */
export function completionOf(passage: Passage): object {
  const calls = callsOf(passage);
  const content = contentOf(passage);
  return {
    ...headOf(passage, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content === '' ? null : content,
          refusal: null,
          annotations: [],
          ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
        },
        logprobs: null,
        finish_reason: finishReason(passage),
      },
    ],
    usage: chatUsage(passage.spent),
    service_tier: 'default',
    system_fingerprint: null,
  };
}

const callsOf = ({ output }: Passage): readonly FunctionCallItem[] =>
  output.filter((item) => item.type === 'function_call');

export const contentOf = ({ output }: Passage): string =>
  output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map(({ text }) => text)
    .join('');

const callOf = ({ call_id: id, name, arguments: input }: FunctionCallItem): object => ({
  id,
  type: 'function',
  function: { name, arguments: input },
});

export function finishReason(passage: Passage): 'stop' | 'length' | 'tool_calls' | 'content_filter' {
  const { end } = passage;
  if (end?.reason === 'max_output_tokens') return 'length';
  if (end?.reason === 'content_filter') return 'content_filter';
  return callsOf(passage).length > 0 ? 'tool_calls' : 'stop';
}

export const chatUsage = (spent: CallSums): object => ({
  prompt_tokens: spent.inputTokens,
  completion_tokens: spent.outputTokens,
  total_tokens: spent.inputTokens + spent.outputTokens,
  prompt_tokens_details: { cached_tokens: spent.cachedInputTokens ?? 0 },
  completion_tokens_details: { reasoning_tokens: spent.reasoningTokens ?? 0 },
});

export interface ChatError {
  readonly message: string;
}

/** What a run is told as that did not come to its end; null: it did. */
export function chatError({ end }: Passage): ChatError | null {
  if (end?.error !== undefined) return { message: `${end.error.code}: ${end.error.message}` };
  // No finish reason says it, and half an answer is not to be taken for a whole one.
  return end?.status === 'cancelled' ? { message: 'cancelled: the run was cancelled before its end' } : null;
}

/** As the body of an answer, or in a stream. */
export const errorBody = (error: ChatError): object => ({
  error: { ...error, type: 'server_error', param: null, code: 'server_error' },
});
