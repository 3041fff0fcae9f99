import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { numberOfCommit } from '../support/commit-number.js';
import { type CampaignResult, summaryOf } from './campaign.js';
import { EXPECTED_MARKS, EXPECTED_OF_MANY } from './expected-marks.js';
import { seedsFor } from './find-mutants.js';
import { GOAL_MUTANTS } from './goal-mutants.js';
import { MUTANTS } from './mutants.js';
import { MUTANTS_OF_ADAPTERS } from './mutants-of-adapters.js';
import { MUTANTS_OF_PARTS } from './mutants-of-parts.js';
import { Nursery, SourceNursery, simulate } from './planting.js';
import { FLAWS } from './world/flaws.js';

const ROOT = process.cwd();
const isCi = process.env['CI'] === 'true';
/** New ones for every commit, so that what one of them finds can be played again by anyone. */
const FIRST_SEED = Number(process.env['SIM_SEED'] ?? numberOfCommit() * 10_000);
const SEEDS = Number(process.env['SIM_SEEDS'] ?? (isCi ? 4_000 : 1_000));
const SEEDS_MS = 1_200_000;
/** Of receivers' behaviour; 10,000 in the long form. */
const SCHEDULES = Number(process.env['SIM_SCHEDULES'] ?? 500);
const MUTANT_MS = 300_000;

const play = (...args: string[]): Promise<CampaignResult> => simulate(ROOT, args);

function expectNoFailure(result: CampaignResult): void {
  if (result.failures.length > 0) throw new Error(`npm run sim -- --seed N --shrink\n${summaryOf(result)}`);
}

// The worlds are played by compiled code in a process of their own, several times as fast as within the test runner.
describe(`simulation from seed ${FIRST_SEED}`, () => {
  it('breaks no invariant on a tape that broke one before', async () => {
    expectNoFailure(await play('--kept'));
  }, 60_000);

  it('plays the same seed the same way, from the seed and from what was recorded', async () => {
    expectNoFailure(await play('--seeds', '100', '--from', String(FIRST_SEED), '--repeat'));
  }, 60_000);

  it('breaks no invariant where every append is the last thing that a worker does', async () => {
    expectNoFailure(await play('--seeds', '300', '--from', String(FIRST_SEED), '--always-crash'));
  }, 120_000);

  it('sends every event of every run, in order, to receivers of all kinds, over days (F12)', async () => {
    const schedules = ['--seeds', String(SCHEDULES), '--parts', 'callbacks'];
    const result = await play(...schedules, '--from', String(FIRST_SEED));
    expectNoFailure(result);
    expect(result.seeds).toBe(SCHEDULES);
  }, 120_000);

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

describe('a mistake that is planted is found', () => {
  let nursery: Nursery;
  beforeAll(async () => {
    nursery = await Nursery.open(ROOT);
  });
  afterAll(() => nursery.close());

  it('but not where there is none', async () => {
    const find = 'export class Journal';
    const healthy = { name: 'none', story: '', file: 'libs/agent/src/run/journal.ts', find, replace: find };
    const { failures } = await nursery.grow(healthy, ['--seeds', '300', '--from', '1']);
    expect(failures).toEqual([]);
  });

  it.each(Object.entries(FLAWS))(
    '%s: %s',
    async (flaw) => {
      const { failures } = await play(...seedsFor({}), '--parts', '', '--flaw', flaw);
      expect(failures).toHaveLength(1);
    },
    MUTANT_MS,
  );

  it.each([...MUTANTS, ...MUTANTS_OF_PARTS].map((mutant) => [mutant.name, mutant.story, mutant] as const))(
    '%s: %s',
    async (_name, _story, mutant) => {
      const parts = (mutant.parts ?? []).join(',');
      const { failures } = await nursery.grow(mutant, [...seedsFor(mutant), '--parts', parts]);
      expect(failures).toHaveLength(1);
    },
    MUTANT_MS,
  );

  it('thirteen of them are those of the goals', () => {
    expect(new Set(GOAL_MUTANTS.map(({ mutant }) => mutant)).size).toBe(13);
  });

  describe('where the product meets files and databases', () => {
    let sources: SourceNursery;
    beforeAll(async () => {
      sources = await SourceNursery.open(ROOT);
    }, 60_000);
    afterAll(() => sources.close());

    it.each(MUTANTS_OF_ADAPTERS.map((mutant) => [mutant.name, mutant.story, mutant] as const))(
      '%s: %s',
      async (_name, _story, mutant) => {
        expect(await sources.tested(mutant)).toEqual({ passed: 1, failed: 0 });
        expect(await sources.examine(mutant)).toEqual({ passed: 0, failed: 1 });
      },
      MUTANT_MS,
    );
  });
});
