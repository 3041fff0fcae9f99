import type { CallSums } from '#domain';
import { responseId } from './ids.js';
import type { Passage } from './passage.js';
import { shownFormat } from './settings.js';

const inSeconds = (ms: number): number => Math.floor(ms / 1000);

/** The response that a passage is, as it stands: all fields, in the order in which they are written. */
export function responseOf(passage: Passage): object {
  const { settings, mode, time } = passage.beginning;
  const { end, status, id } = passage;
  return {
    id,
    object: 'response',
    created_at: inSeconds(time),
    completed_at: end?.status === 'completed' ? inSeconds(end.time) : null,
    status,
    background: settings.background ?? false,
    error: errorOf(passage),
    incomplete_details: end?.reason === undefined ? null : { reason: end.reason },
    instructions: settings.instructions ?? null,
    max_output_tokens: settings.max_output_tokens ?? null,
    max_tool_calls: null,
    model: mode,
    conversation: settings.conversation === undefined ? null : { id: settings.conversation },
    output: passage.output,
    parallel_tool_calls: settings.parallel_tool_calls ?? true,
    previous_response_id: settings.previous_response_id ?? null,
    prompt_cache_key: settings.prompt_cache_key ?? null,
    reasoning: {
      effort: settings.reasoning?.effort ?? null,
      summary: settings.reasoning?.summary ?? null,
    },
    safety_identifier: settings.safety_identifier ?? null,
    service_tier: 'default',
    store: settings.store ?? true,
    temperature: settings.temperature ?? 1,
    text: textOf(passage),
    tool_choice: settings.tool_choice ?? 'auto',
    tools: settings.tools ?? [],
    top_logprobs: 0,
    top_p: settings.top_p ?? 1,
    presence_penalty: settings.presence_penalty ?? 0,
    frequency_penalty: settings.frequency_penalty ?? 0,
    truncation: 'auto',
    usage: end === null ? null : usageOf(passage.spent),
    user: settings.user ?? null,
    metadata: settings.metadata ?? {},
  };
}

function textOf({ beginning: { settings } }: Passage): object {
  const { format, verbosity } = settings.text ?? {};
  return { format: shownFormat(format), ...(verbosity === undefined ? {} : { verbosity }) };
}

/** Clients' types list no more codes than these. */
const CODES: Readonly<Record<string, string>> = {
  context_too_long: 'invalid_prompt',
  budget_exhausted: 'rate_limit_exceeded',
};

function errorOf({ end }: Passage): object | null {
  if (end?.error === undefined) return null;
  const { code, message } = end.error;
  return {
    code: CODES[code] ?? 'server_error',
    type: 'server_error',
    message: `${code}: ${message}`,
    param: null,
  };
}

/** What was not reported counts as none here. */
export const usageOf = (spent: CallSums): object => ({
  input_tokens: spent.inputTokens,
  input_tokens_details: {
    cached_tokens: spent.cachedInputTokens ?? 0,
    cache_write_tokens: spent.cacheWriteTokens ?? 0,
  },
  output_tokens: spent.outputTokens,
  output_tokens_details: { reasoning_tokens: spent.reasoningTokens ?? 0 },
  total_tokens: spent.inputTokens + spent.outputTokens,
});

/** Of a passage that nobody requested here: it follows from the one before. */
export const previousOf = ({ beginning: { run, number } }: Passage): string => responseId(run, number);
