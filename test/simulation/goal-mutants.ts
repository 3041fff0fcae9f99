import { type AdapterMutant, MUTANTS_OF_ADAPTERS } from './mutants-of-adapters.js';
import { MUTANTS_OF_PARTS } from './mutants-of-parts.js';
import { MUTANTS, type Mutant } from './mutants.js';

/** The thirteen mistakes that the goals of reliability name, and what they are in this product. */
const NAMES: Readonly<Record<string, string>> = {
  'no fence': 'fence-gone',
  'new ids on retry': 'new-ids-on-retry',
  're-base after an unknown outcome': 'unknown-is-refused',
  'shown before stored': 'shown-before-stored',
  'tools repeated after a take-over': 'tools-repeated',
  'a claim is re-based': 'claim-rebased',
  'a claim id is shared': 'claim-id-shared',
  'a conflict is read as a success': 'conflict-is-success',
  'checkpoint before delivery': 'checkpoint-before-delivery',
  'checkpoint and rows in two transactions': 'two-transactions',
  'the next slot is planned before the firing': 'planned-before-fired',
  'a late result of an old claim is accepted': 'claim-not-checked',
  'resume is inclusive instead of exclusive': 'resume-inclusive',
};

export interface GoalMutant {
  /** In the words of the goals. */
  readonly goal: string;
  readonly mutant: Mutant | AdapterMutant;
}

export const GOAL_MUTANTS: readonly GoalMutant[] = Object.entries(NAMES).map(([goal, name]) => {
  const mutant = [...MUTANTS, ...MUTANTS_OF_PARTS, ...MUTANTS_OF_ADAPTERS].find((one) => one.name === name);
  if (mutant === undefined) throw new Error(`there is no mutant ${name}`);
  return { goal, mutant };
});
