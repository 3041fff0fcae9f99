import { type RowReport, Verdict, say } from '../reliability/verdict.js';
import { GOAL_MUTANTS, type GoalMutant } from './goal-mutants.js';
import { Nursery, SourceNursery } from './planting.js';

/** Worlds in which a mutant is looked for. */
export const MUTANT_SEEDS = 12_000;

/** Plants the mistakes of the goals, one after the other, and says what finds each (F20). */
export async function findMutants(root: string): Promise<RowReport> {
  const [worlds, sources] = [await Nursery.open(root), await SourceNursery.open(root)];
  const verdict = new Verdict();
  const more: Record<string, string> = {};
  try {
    for (const { goal, mutant } of GOAL_MUTANTS) {
      const found = await finderOf({ goal, mutant }, worlds, sources);
      if (found === null) verdict.note(`${goal} (${mutant.name}): nothing finds it`);
      more[`${goal}: ${mutant.story} (\`${mutant.name}\`)`] = found ?? '**nothing**';
      say(`${found === null ? 'NOT FOUND' : 'found'}: ${goal} (${mutant.name}): ${found ?? ''}`);
    }
  } finally {
    await worlds.close();
    await sources.close();
  }
  const faults = GOAL_MUTANTS.length;
  const line = `F20 ${faults - verdict.problems.length} of ${faults} mutants found`;
  return { faults, verdict, line, measured: { more } };
}

/** The seeds in which it is looked for, as options of the simulation. */
export const seedsFor = ({ from = 1 }: { readonly from?: number }): readonly string[] => [
  '--seeds',
  String(MUTANT_SEEDS),
  '--from',
  String(from),
  '--first',
];

/** What finds the mutant; null: nothing does. */
async function finderOf(
  { mutant }: GoalMutant,
  worlds: Nursery,
  sources: SourceNursery,
): Promise<string | null> {
  if ('spec' in mutant) {
    const { passed, failed } = await sources.examine(mutant);
    return failed > 0 && passed === 0 ? `\`${mutant.spec}\`: ${mutant.title}` : null;
  }
  const args = [...seedsFor(mutant), '--parts', (mutant.parts ?? []).join(',')];
  const { failures, seeds } = await worlds.grow(mutant, args);
  return failures[0] === undefined ? null : `world ${seeds} of the simulation: ${failures[0].invariant}`;
}
