import type { RunMetadata } from '#domain';
import { type Fields, objectIn, pathTo } from './fields.js';
import { refused } from './refusals.js';

const MAX_PAIRS = 16;
const MAX_KEY = 64;
const MAX_VALUE = 512;

/** Pairs of strings, as elsewhere in the service. @throws Problem naming the pair */
export function metadataIn(fields: Fields, name = 'metadata'): RunMetadata | undefined {
  const value = objectIn(fields, name);
  if (value === undefined) return undefined;
  const path = pathTo(fields.path, name);
  const pairs = Object.entries(value);
  if (pairs.length > MAX_PAIRS)
    throw refused('invalid_value', path, `${path}: must have at most ${MAX_PAIRS} pairs`);
  for (const [key, text] of pairs) {
    const at = `${path}.${key.slice(0, MAX_KEY)}`;
    if (key === '' || Array.from(key).length > MAX_KEY || key.includes(','))
      throw refused('invalid_value', path, `${path}: keys have 1 to ${MAX_KEY} characters and no comma`);
    if (typeof text !== 'string') throw refused('invalid_type', at, `${at}: must be a string`);
    if (Array.from(text).length > MAX_VALUE)
      throw refused('invalid_value', at, `${at}: must have at most ${MAX_VALUE} characters`);
  }
  return value as RunMetadata;
}
