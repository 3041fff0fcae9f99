import type { Mutant } from './mutants.js';

const MAKER = 'libs/agent/src/tools/call-maker.ts';

/** Mistakes in what is done with calls that somebody decides on. */
export const OF_ACTIONS: readonly Omit<Mutant, 'parts'>[] = [
  {
    name: 'made-before-decided',
    story: 'a call counts as released as soon as somebody is asked about it',
    file: 'libs/domain/src/actions/waiting-calls.ts',
    symbol: 'withAction',
    find: '{ id, decided: null }',
    replace: "{ id, decided: { decision: 'approve', content: '{}' } }",
  },
  {
    name: 'arguments-changed',
    story: 'a released call is made with other arguments than those that were shown',
    file: MAKER,
    symbol: 'CallMaker.make',
    find: 'made === undefined ? input : made.input',
    replace: 'call.needs === undefined ? input : { key: "another" }',
  },
  {
    name: 'released-call-made-twice',
    story: 'a released call that was begun is begun again by whoever claims the run next',
    file: 'libs/domain/src/actions/waiting-calls.ts',
    symbol: 'isReleased',
    find: 'isBegun !== true',
    replace: 'isBegun !== null',
  },
  {
    name: 'begun-after-the-call',
    story: 'a released call is made before the log has that it is begun',
    file: MAKER,
    symbol: 'CallMaker.noteBegin',
    find: 'await this.record.settled();',
    replace: '',
  },
  {
    name: 'decided-twice',
    story: 'an action that is decided stays open',
    file: 'libs/domain/src/actions/waiting-run.ts',
    symbol: 'resolve',
    find: 'waiting.actions.filter(({ id }) => id !== data.action_id)',
    replace: 'waiting.actions',
  },
  {
    name: 'action-lost-at-take-over',
    story: 'a claim does not name the actions that are open',
    file: 'libs/domain/src/actions/waiting-run.ts',
    symbol: 'carriedOn',
    find: 'actions.length > 0',
    replace: 'actions.length > 1_000',
  },
  {
    name: 'nobody-woken',
    story: 'nobody claims a run that waited, and on which somebody has decided',
    file: 'libs/runs/src/session.ts',
    symbol: 'Session.react',
    find: "if (current?.park === 'woken') return this.takeOver();",
    replace: "if (current?.park === 'woken') return;",
  },
];
