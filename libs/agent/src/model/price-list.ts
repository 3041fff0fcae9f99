import type { Price } from '#domain';
import { LISTED } from './listed-prices.js';

/** A name of a version: with its day. */
const DATED = /-(?:\d{4}-\d{2}-\d{2}|\d{8})$/;

/** Callers may name any model. */
const MOST_TOLD = 1_000;

/** What models cost: the operator's prices before those of the built-in list. */
export class PriceList {
  private readonly prices: ReadonlyMap<string, Price>;

  /** Models without a price that were told of. */
  private readonly told = new Set<string>();

  /** @param onUnpriced told of each model without a price, once */
  constructor(
    own: Readonly<Record<string, Price>> = {},
    private readonly onUnpriced: (model: string) => void = () => undefined,
  ) {
    this.prices = new Map([...Object.entries(BUILT_IN), ...Object.entries(own)]);
  }

  /** By the name, else by that without its date; null: there is none. */
  of(model: string): Price | null {
    const price = this.prices.get(model) ?? this.prices.get(model.replace(DATED, '')) ?? null;
    if (price === null && !this.told.has(model) && this.told.size < MOST_TOLD) {
      this.told.add(model);
      this.onUnpriced(model);
    }
    return price;
  }
}

/** Of which day the built-in list is, and where its prices come from. */
export const { version: PRICES_VERSION, sources: PRICE_SOURCES } = LISTED;

const BUILT_IN: Readonly<Record<string, Price>> = Object.fromEntries(
  Object.entries(LISTED.models as Readonly<Record<string, Price & { readonly source: string }>>).map(
    ([model, listed]) => [model, withoutSource(listed)],
  ),
);

function withoutSource(listed: Price & { readonly source?: string }): Price {
  const price = { ...listed };
  delete (price as { source?: string }).source;
  return price;
}

const PARTS = ['input', 'output', 'cached_input', 'cache_write'] as const;
const PRICE = /^\d{1,9}(?:\.\d{1,6})?$/;

/** Reads the JSON text of a price list. @throws Error that names the model and the part */
export function readPrices(json: string): Readonly<Record<string, Price>> {
  const parsed: unknown = JSON.parse(json);
  if (!isObject(parsed)) throw new Error('must be an object: {"model": {"input": "1.25", "output": "10"}}');
  return Object.fromEntries(Object.entries(parsed).map(([model, price]) => [model, priceIn(model, price)]));
}

function priceIn(model: string, value: unknown): Price {
  if (!isObject(value)) throw new Error(`the price of "${model}" must be an object`);
  const unknown = Object.keys(value).find((part) => !(PARTS as readonly string[]).includes(part));
  if (unknown !== undefined) throw new Error(`the price of "${model}" has an unknown part "${unknown}"`);
  for (const part of PARTS) {
    const price = value[part];
    const isLeftOut = price === undefined && part !== 'input' && part !== 'output';
    if (!isLeftOut && (typeof price !== 'string' || !PRICE.test(price)))
      throw new Error(
        `"${part}" of "${model}" must be a decimal string with at most six decimals, US dollars for a million tokens`,
      );
  }
  return value as unknown as Price;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
