import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { GOAL_MUTANTS } from './goal-mutants.js';
import { MUTANTS_OF_ADAPTERS } from './mutants-of-adapters.js';
import { MUTANTS_OF_PARTS } from './mutants-of-parts.js';
import { MUTANTS } from './mutants.js';
import { compiled, planted } from './planting.js';

const ROOT = process.cwd();
const ALL = [...MUTANTS, ...MUTANTS_OF_PARTS, ...MUTANTS_OF_ADAPTERS];

// That each is found is asked by the long form: npm run sim:mutants.
it.each(ALL.map((mutant) => [mutant.name, mutant] as const))('%s can be planted', async (_, mutant) => {
  const source = await planted(ROOT, mutant);
  expect(source).not.toBe(readFileSync(mutant.file, 'utf8'));
  await compiled(ROOT, mutant.file, source);
});

it('one whose place is gone says which, and what it looked for', async () => {
  const lost = {
    name: 'lost',
    file: 'libs/agent/src/run/journal.ts',
    symbol: 'Journal.nowhere',
    replace: '',
  };
  await expect(planted(ROOT, lost)).rejects.toThrow(
    'the mutant lost does not fit libs/agent/src/run/journal.ts any more: Error: there is no Journal.nowhere any more',
  );
});

it('have names of their own; thirteen are those of the goals', () => {
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  expect(new Set(GOAL_MUTANTS.map(({ mutant }) => mutant)).size).toBe(13);
});
