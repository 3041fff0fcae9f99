import { type RowReport, Verdict, say } from '../reliability/verdict.js';
import type { CampaignResult } from './campaign.js';
import { GOAL_MUTANTS } from './goal-mutants.js';
import { type AdapterMutant, MUTANTS_OF_ADAPTERS } from './mutants-of-adapters.js';
import { MUTANTS_OF_PARTS } from './mutants-of-parts.js';
import { MUTANTS, type Mutant } from './mutants.js';
import { Nursery, SourceNursery, simulate } from './planting.js';
import { FLAWS } from './world/flaws.js';

type AnyMutant = Mutant | AdapterMutant;

/** Worlds in which a mutant is looked for. */
const MUTANT_SEEDS = 12_000;
const HEALTHY_SEEDS = 300;
/** Nothing is changed: what is found in it is a fault of the simulation. */
const HEALTHY: Mutant = {
  name: 'none',
  story: 'nothing is planted',
  file: 'libs/agent/src/run/event-maker.ts',
  symbol: 'EventMaker.constructor',
  find: 'ports.random.hex(9)',
  replace: 'ports.random.hex(9)',
};

/** What was planted, in words, and what finds it; null: nothing does. */
interface Finding {
  readonly what: string;
  readonly finder: string | null;
}

/** Plants the mistakes of the goals, one after the other, and says what finds each (F20). */
export function findMutants(root: string): Promise<RowReport> {
  return report(root, 'F20', async (finderOf, note) => {
    for (const { goal, mutant } of GOAL_MUTANTS) {
      const what = `${goal}: ${mutant.story} (\`${mutant.name}\`)`;
      note({ what, finder: await finderOf(mutant) });
    }
  });
}

/** Plants every mistake, those of the simulation's own world, too; and none, which must not be found. */
export function findEveryMutant(root: string): Promise<RowReport> {
  return report(root, 'every mutant:', async (finderOf, note) => {
    const found = await finderOf(HEALTHY, HEALTHY_SEEDS);
    note({ what: HEALTHY.story, finder: found === null ? 'nothing, as it should' : null });
    for (const [flaw, story] of Object.entries(FLAWS)) {
      const result = await simulate(root, [...seedsFor({}), '--parts', '', '--flaw', flaw]);
      note({ what: `${story} (\`${flaw}\`)`, finder: finderIn(result) });
    }
    for (const mutant of [...MUTANTS, ...MUTANTS_OF_PARTS, ...MUTANTS_OF_ADAPTERS])
      note({ what: `${mutant.story} (\`${mutant.name}\`)`, finder: await finderOf(mutant) });
  });
}

type FinderOf = (mutant: AnyMutant, seeds?: number) => Promise<string | null>;

async function report(
  root: string,
  name: string,
  each: (finderOf: FinderOf, note: (finding: Finding) => void) => Promise<void>,
): Promise<RowReport> {
  const [worlds, sources] = [await Nursery.open(root), await SourceNursery.open(root)];
  const verdict = new Verdict();
  const more: Record<string, string> = {};
  try {
    await each(
      (mutant, seeds) => ('spec' in mutant ? testOf(mutant, sources) : worldOf(mutant, worlds, seeds)),
      ({ what, finder }) => {
        if (finder === null) verdict.note(`${what}: nothing finds it`);
        more[what] = finder ?? '**nothing**';
        say(`${finder === null ? 'NOT FOUND' : 'found'}: ${what}: ${finder ?? ''}`);
      },
    );
  } finally {
    await worlds.close();
    await sources.close();
  }
  const faults = Object.keys(more).length;
  const line = `${name} ${faults - verdict.problems.length} of ${faults} mutants found`;
  return { faults, verdict, line, measured: { more } };
}

/** The seeds in which it is looked for, as options of the simulation. */
const seedsFor = (
  { from = 1 }: { readonly from?: number },
  seeds: number = MUTANT_SEEDS,
): readonly string[] => ['--seeds', String(seeds), '--from', String(from), '--first'];

async function worldOf(mutant: Mutant, worlds: Nursery, seeds?: number): Promise<string | null> {
  const args = [...seedsFor(mutant, seeds), '--parts', (mutant.parts ?? []).join(',')];
  return finderIn(await worlds.grow(mutant, args));
}

const finderIn = ({ failures, seeds }: CampaignResult): string | null =>
  failures[0] === undefined ? null : `world ${seeds} of the simulation: ${failures[0].invariant}`;

/** A test that finds nothing where nothing is planted, and fails with the mutant. */
async function testOf(mutant: AdapterMutant, sources: SourceNursery): Promise<string | null> {
  const healthy = await sources.tested(mutant);
  const { passed, failed } = await sources.examine(mutant);
  const isFound = healthy.passed === 1 && healthy.failed === 0 && passed === 0 && failed === 1;
  return isFound ? `\`${mutant.spec}\`: ${mutant.title}` : null;
}
