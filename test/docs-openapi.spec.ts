import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

it('docs/openapi.json is what `annals openapi` prints', () => {
  const program = ['dist/apps/server/src/cli/main.js', 'openapi'];
  const printed = execFileSync('node_modules/.bin/node', program, { encoding: 'utf8', env: {} });
  expect(readFileSync('docs/openapi.json', 'utf8')).toBe(printed);
});
