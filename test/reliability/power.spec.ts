import { describe, expect } from '@jest/globals';
import { numberOfCommit } from '../support/commit-number.js';
import { traced } from '../support/traced.js';
import { loseUnsynced, powerLoss } from './power-loss.js';
import { say } from './verdict.js';

const STATES = Number(process.env['CRASH_STATES'] ?? 2_000);
const seed = numberOfCommit();

describe('a loss of power', () => {
  traced(
    'leaves all that was acknowledged, in order, whatever it does to what was not synced',
    async () => {
      const { faults, verdict, line } = await powerLoss({ seed, states: STATES });
      say(line);
      expect(verdict.problems).toEqual([]);
      expect(verdict.acknowledged).toBeGreaterThan(0);
      expect(faults).toBeGreaterThanOrEqual(STATES);
    },
    600_000,
  );

  traced('loses events that were not synced before they were acknowledged', async () => {
    const { verdict } = await powerLoss({ seed, states: 600, synchronous: 'NORMAL' });
    expect(verdict.lost).toBeGreaterThan(100);
  });

  traced.each([
    ['the first start of a log', 'log', null],
    ['the first start of files', 'files', null],
    ['a death before the folder of the data is safe', 'files', 'fsync:signal=SIGKILL:when=1'],
    ["a sync of the name of a scope's folder has failed", 'files', 'fsync:error=EIO:when=13'],
  ] as const)('takes no name with it after %s', async (_, kind, kill) => {
    const verdict = await loseUnsynced(kind, kill, 'everything');
    expect(verdict.problems).toEqual([]);
    expect(verdict.acknowledged).toBeGreaterThan(0);
  });
});
