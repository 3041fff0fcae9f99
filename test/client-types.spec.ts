import { execFileSync } from 'node:child_process';
import { it } from '@jest/globals';

it('the types of both clients are what docs/openapi.json says (node clients/generate.mjs)', () => {
  execFileSync('node_modules/.bin/node', ['clients/generate.mjs', '--check'], { stdio: 'inherit' });
});
