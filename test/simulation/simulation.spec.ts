import { describe, expect, it } from '@jest/globals';
import { numberOfCommit } from '../support/commit-number.js';
import { type CampaignResult, summaryOf } from './campaign.js';
import { EXPECTED_MARKS, EXPECTED_OF_MANY } from './expected-marks.js';
import { simulate } from './planting.js';
import { FLAWS } from './world/flaws.js';

const ROOT = process.cwd();
/** New ones for every commit, so that what one of them finds can be played again by anyone. */
const FIRST_SEED = Number(process.env['SIM_SEED'] ?? numberOfCommit() * 10_000);
const SEEDS = Number(process.env['SIM_SEEDS'] ?? 500);
const SEEDS_MS = 1_200_000;
/** Of receivers' behaviour; 10,000 in the long form. */
const SCHEDULES = Number(process.env['SIM_SCHEDULES'] ?? 300);

const play = (...args: string[]): Promise<CampaignResult> => simulate(ROOT, args);

function expectNoFailure(result: CampaignResult): void {
  if (result.failures.length > 0) throw new Error(`npm run sim -- --seed N --shrink\n${summaryOf(result)}`);
}

// The worlds are played by compiled code in a process of their own, several times as fast as within the test runner.
describe(`simulation from seed ${FIRST_SEED}`, () => {
  it('breaks no invariant on a tape that broke one before', async () => {
    expectNoFailure(await play('--kept'));
  });

  it('plays the same seed the same way, from the seed and from what was recorded', async () => {
    expectNoFailure(await play('--seeds', '100', '--from', String(FIRST_SEED), '--repeat'));
  });

  it('breaks no invariant where every append is the last thing that a worker does', async () => {
    expectNoFailure(await play('--seeds', '200', '--from', String(FIRST_SEED), '--always-crash'));
  });

  it('sends every event of every run, in order, to receivers of all kinds, over days (F12)', async () => {
    const schedules = ['--seeds', String(SCHEDULES), '--parts', 'callbacks'];
    const result = await play(...schedules, '--from', String(FIRST_SEED));
    expectNoFailure(result);
    expect(result.seeds).toBe(SCHEDULES);
  });

  it(
    `breaks no invariant in ${SEEDS} new worlds, and sees what it is to see`,
    async () => {
      const result = await play('--seeds', String(SEEDS), '--from', String(FIRST_SEED));
      console.log(summaryOf(result));
      expectNoFailure(result);
      expect(result.seeds).toBe(SEEDS);
      const expected = [
        ...(SEEDS > 3_000 ? EXPECTED_MARKS : []),
        ...(SEEDS > 30_000 ? EXPECTED_OF_MANY : []),
      ];
      expect(expected.filter((mark) => (result.marks[mark] ?? 0) === 0)).toEqual([]);
    },
    SEEDS_MS,
  );
});

// Of the simulation's own world; those in the product are planted by the long form, npm run sim:mutants.
it.each(Object.entries(FLAWS))('a mistake is found: %s: %s', async (flaw) => {
  const { failures } = await play('--seeds', '1000', '--from', '1', '--first', '--parts', '', '--flaw', flaw);
  expect(failures).toHaveLength(1);
});
