import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Rooms of adapters, and the only one that reads settings. Everything else must be repeatable under simulation. */
const FREE = [
  'libs/platform/',
  '/sqlite/',
  '/files/',
  '/eventstoredb/',
  '/postgres/',
  '/extract/',
  '/mysql/',
  '/openai/',
  '/mcp/',
  '/kafka/',
  '/http/',
];

const sources = readdirSync('libs', { recursive: true, encoding: 'utf8' })
  .map((file) => join('libs', file))
  .filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !FREE.some((room) => file.includes(room)),
  );

/** What the linter has no rule for: see .oxlintrc.json for the others. */
const FORBIDDEN: readonly (readonly [string, RegExp])[] = [
  ['the time of now without the Clock', /new Date\(\)/],
  ['a value that is not repeatable', /\bcrypto\.(?:randomUUID|randomBytes|getRandomValues)\b/],
  ['async compression, whose order varies', /\b(?:gzip|gunzip|deflate|inflate|brotliCompress)\(/],
];

describe('floors 0 to 4 outside adapters', () => {
  it.each(FORBIDDEN)('hold no %s', (_, pattern) => {
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.filter((file) => pattern.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
