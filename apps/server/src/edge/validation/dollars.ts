import { parseDollars } from '#domain';
import { isAtMost } from './lengths.js';
import { described } from './rules.js';

const MAX_CHARS = 30;
const DOLLARS = /^\d{1,17}(?:\.\d{1,12})?$/;
const SCHEMA = { type: 'string', maxLength: MAX_CHARS, pattern: DOLLARS.source };

const isDollars = (value: unknown): value is string => typeof value === 'string' && DOLLARS.test(value);

const isTooLong = (value: unknown): boolean => typeof value === 'string' && !isAtMost(MAX_CHARS, value);
const TOO_LONG = { message: `must have at most ${MAX_CHARS} characters` };

/** US dollars, 0 or more, exactly. */
export const dollars = described(SCHEMA, (value) => {
  if (isTooLong(value)) return TOO_LONG;
  return isDollars(value) ? null : { message: 'must be a decimal with at most twelve decimals, as a string' };
});

export const dollarsAboveZero = described(SCHEMA, (value) => {
  if (isTooLong(value)) return TOO_LONG;
  return isDollars(value) && parseDollars(value) > 0n
    ? null
    : { message: 'must be a decimal above 0, with at most twelve decimals, as a string' };
});
