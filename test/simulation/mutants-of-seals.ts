import type { Mutant } from './mutants.js';

const SEALING = 'libs/sealer/src/sealing.ts';

/** Mistakes in what is signed of the log. */
export const OF_SEALS: readonly Omit<Mutant, 'parts'>[] = [
  {
    name: 'told-before-kept',
    story: 'witnesses are told of a seal before it is kept, and another one takes its place',
    file: SEALING,
    symbol: 'Sealing.seal',
    find: 'next = await this.grown(tables, tree);',
    replace: 'next = await this.grown(tables, tree); await this.round.cosign(next, next.note);',
  },
  {
    name: 'kept-over-another',
    story: 'a seal replaces whatever is kept, also what another process has signed meanwhile',
    file: SEALING,
    symbol: 'Sealing.seal',
    find: 'this.kept.save(kept?.seal ?? 0, next)',
    replace: 'this.kept.save((await this.kept.read())?.seal ?? 0, next)',
  },
  {
    name: 'seal-left-untold',
    story: 'a seal whose process died before it was on the log is never told',
    file: SEALING,
    symbol: 'Sealing.begin',
    find: 'logged?.seal !== this.tree.seal',
    replace: 'logged === null',
  },
  {
    name: 'tables-behind',
    story: 'tables that are one seal behind what was signed are gone on from',
    file: SEALING,
    symbol: 'Sealing.broughtTo',
    find: 'fits && tree?.seal === kept?.seal',
    replace: 'fits',
  },
];
