import type { Mutant } from './mutants.js';

const MESSAGES = 'libs/domain/src/context-messages.ts';
const COMPACTION = 'libs/agent/src/run/compaction.ts';

/** Mistakes in what a model is told of a session that is longer than its context. */
export const OF_COMPACTIONS: readonly Omit<Mutant, 'parts'>[] = [
  {
    name: 'compaction-parts-a-call',
    story: 'a compaction leaves the last result of what it stands for, without its call',
    file: MESSAGES,
    symbol: 'ContextMessages.compact',
    find: 'at > last',
    replace: 'at >= last',
  },
  {
    name: 'compaction-takes-the-message',
    story: 'a compaction takes the message of the run, which the model is not told any more',
    file: MESSAGES,
    symbol: 'ContextMessages.compact',
    find: 'this.own.includes(message)',
    replace: 'false',
  },
  {
    name: 'compaction-not-awaited',
    story: 'the model is asked with a summary that the log does not hold yet',
    file: COMPACTION,
    symbol: 'Compaction.write',
    find: 'await record.settled();',
    replace: '',
  },
  {
    name: 'asked-before-stored',
    story: 'the model is asked with results that the log does not hold yet',
    file: COMPACTION,
    symbol: 'Compaction.ask',
    find: 'await this.record.settled();',
    replace: '',
  },
  {
    name: 'read-to-the-compaction-alone',
    story: 'a context is read back to the newest compaction, and not to the turns that it kept',
    file: 'libs/runs/src/context-reach.ts',
    symbol: 'ContextReach.take',
    find: 'newest === null ? this.chars > this.maxChars : newest.isPassed',
    replace: 'newest === null ? this.chars > this.maxChars : true',
  },
  {
    name: 'turn-ends-elsewhere',
    story: 'a compaction names an event before the one at which its last turn ends',
    file: 'libs/agent/src/run/run-record.ts',
    symbol: 'RunRecord.placed',
    find: 'this.context.placed(revision)',
    replace: 'this.context.placed(revision - 1)',
  },
  {
    name: 'summary-unpaid',
    story: 'what a summary cost is not on the log',
    file: COMPACTION,
    symbol: 'Compaction.write',
    find: "[...failed, { type: 'agent_compacted', data: { content, ...left } }, ...calls]",
    replace: "[...failed, { type: 'agent_compacted', data: { content, ...left } }]",
  },
];
