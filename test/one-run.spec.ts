import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const named = [...readFileSync('docs/one-run.md', 'utf8').matchAll(/`((?:apps|libs)\/[^`]+\.ts)`/g)].map(
  (m) => m[1]!,
);

describe('docs/one-run.md', () => {
  it('names at most fifteen files, each once', () => {
    expect(named.length).toBeGreaterThan(5);
    expect(named.length).toBeLessThanOrEqual(15);
    expect(new Set(named).size).toBe(named.length);
  });

  it.each(named)('%s exists', (file) => {
    expect(existsSync(file)).toBe(true);
  });
});
