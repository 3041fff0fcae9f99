/** A number that JavaScript would change, and where it stands in the JSON. */
export interface LossyNumber {
  /** Names of properties and places in lists, as `ids[0].user`; empty: it is all of it. */
  readonly path: string;
  /** As it was written. */
  readonly source: string;
}

/** All that can be such a number has so many digits in a row, or an exponent; most texts are spared the look at each. */
const SUSPECT = /\d{16}|\d\.?e[+-]?\d/i;
/** The strings and the numbers of a text that is known to be JSON: of any other it may take long. A reviver for all of them would take ten times as long. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const LOSSY = Symbol('a number that would be changed');

type Place = { readonly parent: Place; readonly key: string | number } | null;

/**
 * The first number of a JSON text that JavaScript would change: whole ones beyond 2^53 that no double is, and those that
 * become infinite or 0. Digits of fractions are rounded everywhere, and are none of it. null: there is none, or it is no
 * JSON. Linear in time.
 */
export function lossyNumberIn(json: string): LossyNumber | null {
  let first: string | null = null;
  // The source comes since Node.js 21 ("JSON.parse source text access", TC39).
  const revive = (_: string, value: unknown, context?: { readonly source?: string }): unknown => {
    if (typeof value !== 'number' || context?.source === undefined || isKept(value, context.source))
      return value;
    first ??= context.source;
    return LOSSY;
  };
  if (!SUSPECT.test(json)) return null;
  try {
    JSON.parse(json);
    if (!hasLossyNumber(json)) return null;
    const root: unknown = JSON.parse(json, revive);
    return first === null ? null : { path: pathOf(placeIn(root)), source: first };
  } catch {
    return null;
  }
}

/** The same without where. @param json is JSON */
export function hasLossyNumber(json: string): boolean {
  if (!SUSPECT.test(json)) return false;
  for (const [token] of json.matchAll(TOKEN))
    if (token.length > 4 && !token.startsWith('"') && !isKept(Number(token), token)) return true;
  return false;
}

/** Fit to be told to a model or a caller; null: every number is kept. */
export function lossyNumberFault(json: string): string | null {
  const lossy = lossyNumberIn(json);
  return lossy === null ? null : `${lossy.path || 'the value'} ${lossyNumberMessage(lossy)}`;
}

export const lossyNumberMessage = ({ source }: LossyNumber): string =>
  `must not be the number ${source.length > 40 ? `${source.slice(0, 40)}…` : source}, which would be changed on its way: send it as a string`;

function isKept(value: number, source: string): boolean {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER && value !== 0) return true;
  const [kept, written] = [digitsOf(String(value)), digitsOf(source)];
  // Of two numbers of nearly the same size the digits tell whether they are the same.
  const length = Math.max(kept.length, written.length);
  return Number.isFinite(value) && kept.padEnd(length, '0') === written.padEnd(length, '0');
}

const digitsOf = (number: string): string => number.replace(/[-.]|e.*/gis, '').replace(/^0+/, '');

/** Without recursion, in the order of the text. */
function placeIn(root: unknown): Place {
  const open: { readonly value: unknown; readonly place: Place }[] = [{ value: root, place: null }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, place } = next;
    if (value === LOSSY) return place;
    if (typeof value !== 'object' || value === null) continue;
    const entries: (readonly [string | number, unknown])[] = Array.isArray(value)
      ? value.map((item: unknown, index) => [index, item] as const)
      : Object.entries(value);
    for (const [key, item] of entries.reverse()) open.push({ value: item, place: { parent: place, key } });
  }
  return null;
}

function pathOf(place: Place): string {
  const parts: string[] = [];
  for (let at = place; at !== null; at = at.parent)
    parts.push(typeof at.key === 'number' ? `[${at.key}]` : at.parent === null ? at.key : `.${at.key}`);
  return parts.reverse().join('');
}
