import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { PRICES_VERSION, PRICE_SOURCES, PriceList, readPrices } from '#agent';
import { costOf, formatDollars } from '#domain';
import { ReportedUsage } from '../libs/openai-model/src/reported-usage.js';

const PAGE = readFileSync('docs/money.md', 'utf8');
const PRICE = { input: '2', output: '10', cached_input: '0.5', cache_write: '2.5' };

/** The rows of the table that begins with what a server reports. */
const ROWS = Array.from(
  PAGE.matchAll(/^\| `(\{"(?:prompt|input)_tokens.*?\})` +\|(.+)\|$/gm),
  ([, json = '', rest = '']) => ({
    json,
    figures: rest.split('|').map((cell) => cell.trim()),
  }),
);

describe('docs/money.md', () => {
  it('has worked figures', () => expect(ROWS.length).toBeGreaterThan(5));

  it.each(ROWS)('works them out right: $json', ({ json, figures }) => {
    const reported = new ReportedUsage();
    reported.take({ usage: JSON.parse(json) as object }, undefined);
    const usage = reported.usage({ inputTokens: 0, outputTokens: 0 });
    const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens } = usage;
    const counts = {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      ...(cachedInputTokens === undefined ? {} : { cached_input_tokens: cachedInputTokens }),
      ...(cacheWriteTokens === undefined ? {} : { cache_write_tokens: cacheWriteTokens }),
    };
    expect(figures).toEqual([
      String(inputTokens),
      String(outputTokens),
      String(cachedInputTokens ?? '–'),
      String(cacheWriteTokens ?? '–'),
      formatDollars(costOf(counts, PRICE)),
    ]);
  });

  it('shows a price list that is taken', () => {
    const [, json = ''] = /```json\n([^`]+)```/.exec(PAGE) ?? [];
    const prices = new PriceList(readPrices(json));
    expect(prices.of('my-model')).toEqual(PRICE);
    expect(prices.of('gpt-5-2026-01-01')).toEqual(prices.of('gpt-5'));
    expect(prices.of('claude-haiku-4-5-20251001')).toEqual(prices.of('claude-haiku-4-5'));
    expect(prices.of('demo')).toBeNull();
  });

  it('says of which day the built-in list is, and where it comes from', () => {
    expect(PRICES_VERSION).toMatch(/^\d{4}-\d\d-\d\d$/);
    for (const { as_of: day } of Object.values(PRICE_SOURCES)) expect(PAGE).toContain(day);
  });
});

describe('a price list', () => {
  it.each([
    ['[]', 'must be an object'],
    ['{"m": 1}', 'the price of "m" must be an object'],
    ['{"m": {"input": "1"}}', '"output" of "m"'],
    ['{"m": {"input": 1, "output": "1"}}', '"input" of "m"'],
    ['{"m": {"input": "1.0000001", "output": "1"}}', '"input" of "m"'],
    ['{"m": {"input": "1", "output": "1", "reasoning": "1"}}', 'unknown part "reasoning"'],
    ['{"m": {"input": "-1", "output": "1"}}', '"input" of "m"'],
    ['nonsense', 'JSON'],
  ])('that is none is refused with what is wrong: %s', (json, why) => {
    expect(() => readPrices(json)).toThrow(why);
  });
});
