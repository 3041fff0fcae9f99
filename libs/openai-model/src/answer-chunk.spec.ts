import { describe, expect, it } from '@jest/globals';
import { usageIn } from './answer-chunk.js';

describe('the usage of a chunk', () => {
  const counts = { prompt_tokens: 100, completion_tokens: 7 };
  it.each([
    ["OpenAI's", { ...counts, prompt_tokens_details: { cached_tokens: 64 } }, 64],
    [
      "OpenAI's newer",
      { input_tokens: 100, output_tokens: 7, input_tokens_details: { cached_tokens: 64 } },
      64,
    ],
    ["Anthropic's", { input_tokens: 100, output_tokens: 7, cache_read_input_tokens: 64 }, 64],
    ["DeepSeek's", { ...counts, prompt_cache_hit_tokens: 0, prompt_cache_miss_tokens: 100 }, 0],
    ['one that says nothing of it', counts, undefined],
    ['one whose details are null', { ...counts, prompt_tokens_details: null }, undefined],
    ['nonsense', { ...counts, prompt_tokens_details: { cached_tokens: -1 } }, undefined],
  ])('tells what was kept from before in %s', (_, usage, cachedInputTokens) => {
    expect(usageIn({ usage }, undefined)).toEqual({
      inputTokens: 100,
      outputTokens: 7,
      estimated: false,
      ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    });
  });
});
