import { expect, it } from '@jest/globals';
import { numberOfCommit } from '../support/commit-number.js';
import { say } from './verdict.js';
import { zones } from './zones.js';

const CRONS = Number(process.env['ZONE_CRONS'] ?? 12);

it('finds the slots of the wall clock, and fires each once, wherever and however clocks are set', () => {
  const { faults, verdict, line } = zones({ crons: CRONS, isEveryZone: false, seed: numberOfCommit() });
  say(line);
  expect(verdict.problems).toEqual([]);
  expect(faults).toBeGreaterThan(400);
  expect(verdict.acknowledged).toBeGreaterThan(faults);
}, 600_000);
