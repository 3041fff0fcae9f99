import type { Mutant } from './mutants.js';

/** Mistakes in what a fork has of its parent. */
export const OF_FORKS: readonly Mutant[] = [
  {
    name: 'fork-has-half-a-turn',
    story: 'a fork of a run under way is told the turn that was not closed',
    file: 'libs/domain/src/context.ts',
    symbol: 'ContextFold.branch',
    find: 'closedAt === null || at < closedAt || steeredSince.includes(message)',
    replace: 'true',
  },
  {
    name: 'fork-has-one-event-more',
    story: "a fork's line holds the event of its parent that comes after",
    file: 'libs/runs/src/session-line.ts',
    symbol: 'lineBackwards',
    find: 'at + 1',
    replace: 'at + (session === own ? 1 : 2)',
  },
  {
    name: 'fork-of-a-cleared-inherits',
    story: 'the history of a fork that was cleared begins with what it was forked from',
    file: 'libs/read-models/src/queries/history-passage.ts',
    symbol: 'HistoryPassage.isCleared',
    find: '(await this.lastClear(past?.inherits ? past.foldedTo : -1)) !== null',
    replace: 'false',
  },
  {
    name: 'clear-of-the-parent-forgotten',
    story: 'a fork does not know that its parent had been cleared',
    file: 'libs/runs/src/fork/own-part.ts',
    symbol: 'ownPart',
    find: "event.type === 'messages_cleared'",
    replace: 'false',
  },
  {
    name: 'line-behind-an-erasure',
    story: 'the line of a fork goes on behind a session that is erased',
    file: 'libs/read-models/src/queries/session-lines.ts',
    symbol: 'SessionLines.partsOf',
    find: "if (before === 'erased') break;",
    replace: '',
  },
  {
    name: 'open-block-not-shared',
    story: 'what a fork shares does not count the block that was being written',
    file: 'libs/projections/src/as-of/session-record.ts',
    symbol: 'countOf',
    find: 'hasOpenText ? 1 : 0',
    replace: 'hasOpenText ? 0 : 0',
  },
];
