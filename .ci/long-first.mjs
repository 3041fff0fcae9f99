// The order in which Jest takes the suites: the longest first, so that no worker is left alone with one in the end. A
// clean checkout knows no times of its own, which is what CI is.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

/** Of the suites that take long: seconds on two cores, one after the other. */
const seconds = JSON.parse(readFileSync(new URL('long-suites.json', import.meta.url), 'utf8'));

export default class LongFirst extends TestSequencer {
  sort(tests) {
    const secondsOf = ({ path, context }) => seconds[relative(context.config.rootDir, path)] ?? 0;
    return super.sort(tests).toSorted((a, b) => secondsOf(b) - secondsOf(a));
  }
}
