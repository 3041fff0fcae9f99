import { type Draft, type ModelCall, type TokenCounts, costOf, formatDollars } from '#domain';
import type { Usage } from './model-client.js';

interface CallFacts extends Pick<ModelCall, 'kind' | 'mode' | 'model' | 'price'> {
  readonly isBroken: boolean;
  /** Of the request. */
  readonly chars: number;
}

/** The event of a call: what it costs is fixed from here on. */
export function recordedCall({ isBroken, price, chars, ...call }: CallFacts, usage: Usage): Draft {
  const counts = countsOf(usage);
  const { reported = {} } = usage;
  return {
    type: 'model_called',
    data: {
      ...call,
      ...counts,
      request_chars: chars,
      ...(usage.estimated ? { estimated: true } : {}),
      ...(isBroken ? { broken: true } : {}),
      reported,
      price,
      cost: price === null ? '0' : formatDollars(costOf(counts, price)),
    },
  };
}

const countsOf = (usage: Usage): TokenCounts => ({
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  ...(usage.cachedInputTokens === undefined ? {} : { cached_input_tokens: usage.cachedInputTokens }),
  ...(usage.cacheWriteTokens === undefined ? {} : { cache_write_tokens: usage.cacheWriteTokens }),
  ...(usage.reasoningTokens === undefined ? {} : { reasoning_tokens: usage.reasoningTokens }),
});
