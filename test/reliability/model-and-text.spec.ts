import { expect, it } from '@jest/globals';
import { cutModel } from './cut-model.js';
import { poison } from './poison.js';
import { numberOfCommit } from '../support/commit-number.js';
import { type RowReport, say } from './verdict.js';

const CASES = Number(process.env['POISON_CASES'] ?? 600);

function expectNoHarm({ verdict, line }: RowReport): void {
  say(line);
  expect(verdict.problems).toEqual([]);
  expect(verdict.acknowledged).toBeGreaterThan(0);
}

it('completes every run whose model is cut off, at bytes all along its answer', async () => {
  const report = await cutModel(4);
  expectNoHarm(report);
  expect(report.faults).toBeGreaterThan(300);
});

it('tells poison text as it was said, to every reader, or refuses it', async () => {
  expectNoHarm(await poison(CASES, numberOfCommit()));
});
