import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Part } from './world/parts.js';

/** A tape on which something was broken once, as small as it could be made, and what it was. */
export interface KeptTape {
  readonly story: string;
  readonly alwaysCrash?: boolean;
  /** What its world has besides runs with plain tools. */
  readonly parts?: readonly Part[];
  readonly tape: readonly number[];
}

const FOLDER = 'test/simulation/seeds';

/** The kept tapes, from the folder of the checkout. */
export function keptTapes(): KeptTape[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as KeptTape);
}
