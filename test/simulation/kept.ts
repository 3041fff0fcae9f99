import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A tape on which something was broken once, as small as it could be made, and what it was. */
export interface KeptTape {
  readonly story: string;
  readonly alwaysCrash?: boolean;
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
