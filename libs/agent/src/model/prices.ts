import { type PicoDollars, parseDollars } from '#domain';
import type { Usage } from './model-client.js';

/** US dollars for a million tokens, as the vendor's price list of 2026-11 gives them. A model that is not here costs 0. */
const PRICES: Readonly<Record<string, { readonly input: string; readonly output: string }>> = {
  'gpt-5-nano': { input: '0.05', output: '0.40' },
  'gpt-5-mini': { input: '0.25', output: '2.00' },
  'gpt-5': { input: '1.25', output: '10.00' },
  'gpt-4.1-nano': { input: '0.10', output: '0.40' },
  'gpt-4.1-mini': { input: '0.40', output: '1.60' },
  'gpt-4.1': { input: '2.00', output: '8.00' },
  'gpt-4o-mini': { input: '0.15', output: '0.60' },
  'gpt-4o': { input: '2.50', output: '10.00' },
  'o4-mini': { input: '1.10', output: '4.40' },
  o3: { input: '2.00', output: '8.00' },
};

const MILLION = 1_000_000n;
const perToken = new Map(
  Object.entries(PRICES).map(([model, p]) => [
    model,
    { input: parseDollars(p.input) / MILLION, output: parseDollars(p.output) / MILLION },
  ]),
);

/** What a turn cost. A dated name (`gpt-5-2026-01-01`) has the price of the model that it is a version of. */
export function costOf(model: string, usage: Usage): PicoDollars {
  const price = perToken.get(model) ?? perToken.get(model.replace(/-\d{4}-\d{2}-\d{2}$/, ''));
  if (price === undefined) return 0n;
  return price.input * BigInt(usage.inputTokens) + price.output * BigInt(usage.outputTokens);
}
