import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { MUTANTS_OF_PARTS } from '../../simulation/mutants-of-parts.js';
import { MUTANTS } from '../../simulation/mutants.js';
import type { KeptTape } from '../../simulation/kept.js';

/** What was found, and what keeps it from coming back. */
export interface Stories {
  readonly tapes: readonly { readonly name: string; readonly story: string; readonly isMutant: boolean }[];
  readonly bugs: readonly FoundBug[];
}

/** An entry of `docs/reliability/found.json`: whoever finds a bug by making something fail adds one. */
export interface FoundBug {
  readonly what: string;
  /** The row of the fault table, or the test. */
  readonly by: string;
  /** The file in which it was. */
  readonly mended: string;
  /** The test that would find it again. */
  readonly test: string;
}

const TAPES = 'test/simulation/seeds';
const BUGS = 'docs/reliability/found.json';

/** From the files of the checkout. */
export function readStories(): Stories {
  const mutants = new Set([...MUTANTS, ...MUTANTS_OF_PARTS].map(({ name }) => name));
  const tapes = readdirSync(TAPES)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const { story } = JSON.parse(readFileSync(`${TAPES}/${file}`, 'utf8')) as KeptTape;
      const name = file.replace(/\.json$/, '');
      return { name, story, isMutant: mutants.has(name) };
    });
  const bugs = existsSync(BUGS) ? (JSON.parse(readFileSync(BUGS, 'utf8')) as FoundBug[]) : [];
  return { tapes, bugs };
}
