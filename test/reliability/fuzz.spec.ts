import { expect, it } from '@jest/globals';
import { numberOfCommit } from '../support/commit-number.js';
import { fuzz } from './fuzz.js';
import { say } from './verdict.js';

const REQUESTS = Number(process.env['FUZZ'] ?? 800);

it('answers requests made from its description as that says, none with 5xx, and holds nothing of them', async () => {
  const { verdict, line } = await fuzz({ requests: REQUESTS, seed: numberOfCommit() });
  say(line);
  expect(verdict.problems).toEqual([]);
});
