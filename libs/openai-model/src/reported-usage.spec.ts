import { describe, expect, it } from '@jest/globals';
import { ReportedUsage } from './reported-usage.js';

const ESTIMATE = { inputTokens: 11, outputTokens: 3 };

const usageOf = (...usages: readonly unknown[]) => {
  const reported = new ReportedUsage();
  for (const usage of usages) reported.take({ usage }, undefined);
  const { reported: _, ...usage } = reported.usage(ESTIMATE);
  return usage;
};

describe('what a server counts', () => {
  const counts = { prompt_tokens: 100, completion_tokens: 7 };
  const told = { inputTokens: 100, outputTokens: 7, estimated: false };

  it.each([
    ["OpenAI's", { ...counts, prompt_tokens_details: { cached_tokens: 64 } }, { cachedInputTokens: 64 }],
    [
      "OpenAI's newer",
      {
        input_tokens: 100,
        output_tokens: 7,
        input_tokens_details: { cached_tokens: 64 },
        output_tokens_details: { reasoning_tokens: 5 },
      },
      { cachedInputTokens: 64, reasoningTokens: 5 },
    ],
    [
      "DeepSeek's",
      { ...counts, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40, total_tokens: 107 },
      { cachedInputTokens: 60 },
    ],
    ["Moonshot's", { ...counts, cached_tokens: 60 }, { cachedInputTokens: 60 }],
    [
      "OpenRouter's",
      { ...counts, prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 20 } },
      { cachedInputTokens: 10, cacheWriteTokens: 20 },
    ],
    ['one that says nothing of parts', counts, {}],
    ['one whose details are null', { ...counts, prompt_tokens_details: null }, {}],
    ['a part that is no count', { ...counts, prompt_tokens_details: { cached_tokens: -1 } }, {}],
  ])('is read in the form of %s', (_, usage, parts) => {
    expect(usageOf(usage)).toEqual({ ...told, ...parts });
  });

  it("is added where parts stand beside their whole, as Anthropic's and xAI's", () => {
    expect(
      usageOf({
        input_tokens: 4,
        output_tokens: 7,
        cache_read_input_tokens: 80,
        cache_creation_input_tokens: 16,
      }),
    ).toEqual({ ...told, cachedInputTokens: 80, cacheWriteTokens: 16 });
    const thought = { ...counts, completion_tokens_details: { reasoning_tokens: 300 }, total_tokens: 407 };
    expect(usageOf(thought)).toEqual({ ...told, outputTokens: 307, reasoningTokens: 300 });
  });

  it("is output where only the total tells of it, as Gemini's", () => {
    expect(usageOf({ ...counts, total_tokens: 150 })).toEqual({ ...told, outputTokens: 50 });
    expect(usageOf({ ...counts, total_tokens: 90 })).toEqual(told);
  });

  it('is what was told last of each, in pieces, too', () => {
    expect(usageOf({ prompt_tokens: 100, completion_tokens: 1 }, { completion_tokens: 7 })).toEqual(told);
    expect(usageOf({ ...counts, completion_tokens: 3 }, null, counts)).toEqual(told);
  });

  it.each([-1, 1.5, '7', Number.NaN, 1_000_000_001, null, undefined, true])(
    'is absent where it is %p, and counted from the text',
    (count) => {
      expect(usageOf({ prompt_tokens: count, completion_tokens: 7 })).toEqual({
        ...told,
        inputTokens: 11,
        estimated: true,
      });
      expect(usageOf({ prompt_tokens: 100, completion_tokens: count })).toEqual({
        ...told,
        outputTokens: 3,
        estimated: true,
      });
    },
  );

  it('is kept as it was named, numbers alone, one kilobyte at most', () => {
    const reported = new ReportedUsage();
    const usage = { ...counts, note: 'secret', 'a b': 1, cost: 0.5, details: { x: 1, deeper: { y: 1 } } };
    reported.take({ usage }, undefined);
    expect(reported.usage(ESTIMATE).reported).toEqual({ ...counts, 'details.x': 1 });
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`n${n}`.padEnd(32, 'x'), 1e9]));
    reported.take({ usage: many }, undefined);
    expect(JSON.stringify(reported.usage(ESTIMATE).reported).length).toBeLessThanOrEqual(1_024);
  });
});
