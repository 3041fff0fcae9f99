/** What a world has besides runs with plain tools. */
export interface Parts {
  /** Workflows, and tool servers that are lost with the process that knows them. */
  readonly flows: boolean;
  /** Schedules. */
  readonly tasks: boolean;
  /** Runs whose events are sent to receivers. */
  readonly callbacks: boolean;
  /** Sessions that are erased. */
  readonly erasures: boolean;
  /** Calls that somebody decides on. */
  readonly actions: boolean;
  /** Contexts that have room for a few messages only. */
  readonly long: boolean;
  /** A log that is sealed. */
  readonly seals: boolean;
}

export const PART_NAMES = ['flows', 'tasks', 'callbacks', 'erasures', 'actions', 'long', 'seals'] as const;
export type Part = (typeof PART_NAMES)[number];

/** A tape says nothing of the parts of its world, so that a new part changes no tape that is kept. */
export const partsOf = (names: readonly Part[]): Parts => ({
  flows: names.includes('flows'),
  tasks: names.includes('tasks'),
  callbacks: names.includes('callbacks'),
  erasures: names.includes('erasures'),
  actions: names.includes('actions'),
  long: names.includes('long'),
  seals: names.includes('seals'),
});

/** What a world with everything costs, four without it cost. */
const MIX: readonly (readonly Part[])[] = [
  [],
  ['flows'],
  ['erasures'],
  ['tasks'],
  ['actions'],
  ['flows'],
  [],
  ['callbacks'],
  ['long'],
  ['flows', 'actions'],
  [],
  ['flows', 'tasks', 'callbacks', 'erasures'],
  ['actions'],
  ['flows', 'erasures'],
  [],
  ['erasures', 'actions'],
  ['long'],
  ['flows', 'actions', 'long'],
  ['long', 'erasures'],
  ['seals'],
  ['seals', 'erasures'],
];

export const partsOfSeed = (seed: number): readonly Part[] => MIX[seed % MIX.length] ?? [];
