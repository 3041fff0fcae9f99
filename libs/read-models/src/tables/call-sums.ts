import type { CallSums } from '#domain';
import { type Field, integer, nullable, parted, whole } from '#postgres';
import { dollars } from './dollars.js';

/** Sums over model calls. */
export const callSums: Field<CallSums> = parted(
  {
    cost: dollars('cost'),
    inputTokens: whole('input_tokens'),
    outputTokens: whole('output_tokens'),
    cachedInputTokens: nullable(whole('cached_input_tokens')),
    cacheWriteTokens: nullable(whole('cache_write_tokens')),
    reasoningTokens: nullable(whole('reasoning_tokens')),
    modelCalls: integer('model_calls'),
    estimatedCalls: integer('estimated_calls'),
    unpricedCalls: integer('unpriced_calls'),
  },
  (sums: CallSums) => sums,
  (parts) => parts,
);
