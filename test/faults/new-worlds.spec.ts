import { describe, expect, it } from '@jest/globals';
import { summaryOf } from '../simulation/campaign.js';
import { FIRST_SEED, playWell } from '../simulation/play-worlds.js';
import { EXPECTED_MARKS, EXPECTED_OF_MANY } from '../simulation/expected-marks.js';

const SEEDS = Number(process.env['SIM_SEEDS'] ?? 500);
const SEEDS_MS = 1_200_000;
/** Of receivers' behaviour; 10,000 in the long form. */
const SCHEDULES = Number(process.env['SIM_SCHEDULES'] ?? 300);
const FROM = ['--from', String(FIRST_SEED)];

describe(`the simulation, from seed ${FIRST_SEED}`, () => {
  it('breaks no invariant where every append is the last thing that a worker does', async () => {
    await playWell('--seeds', '200', ...FROM, '--always-crash');
  });

  it('sends every event of every run, in order, to receivers of all kinds, over days (F12)', async () => {
    const { seeds } = await playWell('--seeds', String(SCHEDULES), '--parts', 'callbacks', ...FROM);
    expect(seeds).toBe(SCHEDULES);
  });

  it(
    `breaks no invariant in ${SEEDS} new worlds, and sees what it is to see`,
    async () => {
      const result = await playWell('--seeds', String(SEEDS), ...FROM);
      console.log(summaryOf(result));
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
