import { LENGTHS, isAtMost } from '../../../edge/validation/lengths.js';
import { type Fault, described, isObject } from '../../../edge/validation/rules.js';

const MAX_PAIRS = 16;
const MAX_KEY = LENGTHS.metadataKey;
const MAX_VALUE = 512;

const SCHEMA = {
  type: 'object',
  maxProperties: MAX_PAIRS,
  propertyNames: { minLength: 1, maxLength: MAX_KEY, pattern: '^[^,]*$' },
  additionalProperties: { type: 'string', maxLength: MAX_VALUE },
};

/** What a caller says of a run, for itself. */
export const runMetadata = described(SCHEMA, (value) => {
  if (!isObject(value)) return { message: 'must be an object' };
  const pairs = Object.entries(value);
  if (pairs.length > MAX_PAIRS) return { message: `must have at most ${MAX_PAIRS} pairs` };
  for (const [key, text] of pairs) {
    const fault = faultOf(key, text);
    if (fault !== null) return { message: fault.message, at: `.${key.slice(0, 100)}` };
  }
  return null;
});

function faultOf(key: string, value: unknown): Fault | null {
  if (key === '' || key.includes(',') || !isAtMost(MAX_KEY, key))
    return { message: `is no key: 1 to ${MAX_KEY} characters, none of them a comma` };
  if (typeof value !== 'string') return { message: 'must be a string' };
  return isAtMost(MAX_VALUE, value) ? null : { message: `must have at most ${MAX_VALUE} characters` };
}
