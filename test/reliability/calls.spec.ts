import { expect } from '@jest/globals';
import { numberOfCommit } from '../support/commit-number.js';
import { traced } from '../support/traced.js';
import { diskErrors, failLog } from './disk-errors.js';
import { killAtCalls } from './kill-at-calls.js';
import { say } from './verdict.js';

const KILLS = Number(process.env['CALL_KILLS'] ?? 14);
const ERRORS = Number(process.env['DISK_ERRORS'] ?? 8);
const APPENDS = 20;
const seed = numberOfCommit();

traced(
  'loses, doubles and reorders nothing when it dies between any two system calls',
  async () => {
    const { faults, verdict, line } = await killAtCalls({ seed, kills: KILLS, appends: APPENDS });
    say(line);
    expect(verdict.problems).toEqual([]);
    expect(verdict.acknowledged).toBeGreaterThan(0);
    expect(faults).toBeGreaterThanOrEqual(KILLS);
  },
  600_000,
);

traced('is found out when it acknowledges before it stores', async () => {
  const { verdict } = await killAtCalls({ seed, kills: 10, appends: APPENDS, isHasty: true });
  expect(verdict.lost).toBeGreaterThan(0);
});

traced(
  'keeps what it acknowledged, and stores nothing that it refused, when a write or a sync fails',
  async () => {
    const { faults, verdict, line } = await diskErrors({ seed, errors: ERRORS });
    say(line);
    expect(verdict.problems).toEqual([]);
    expect(verdict.acknowledged).toBeGreaterThan(0);
    expect(faults).toBeGreaterThan(ERRORS);
  },
  600_000,
);

traced.each([
  ['the sync of the folder, of which SQLite takes no notice', '6'],
  ['the sync of a commit and of the checkpoint after it', '11+'],
  ['the sync of a later commit and of the checkpoint after it', '12+'],
  ['the sync of what is put off until the log is closed, and the one after it', '28+'],
])('keeps what it acknowledged when the power fails after %s has failed', async (_, when) => {
  const verdict = await failLog(`fsync:error=EIO:when=${when}`);
  expect(verdict.problems).toEqual([]);
  expect(verdict.acknowledged).toBeGreaterThan(0);
});
