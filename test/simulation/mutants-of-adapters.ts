import type { Mutant } from './mutants.js';

/** A mistake where the product meets real files and databases, which the simulation has none of: a suite must find it. */
export interface AdapterMutant extends Omit<Mutant, 'parts'> {
  readonly spec: string;
  /** The test of the suite that looks at it. */
  readonly title: string;
}

export const MUTANTS_OF_ADAPTERS: readonly AdapterMutant[] = [
  {
    name: 'shown-before-stored',
    story: 'listeners are given events before the file has taken them',
    file: 'libs/event-log/src/sqlite/sqlite-event-log.ts',
    symbol: 'SqliteEventLog.append',
    find: 'checkSizes(events);',
    replace: `checkSizes(events);
      const { expected } = options;
      const next = expected === 'no_stream' ? 0 : typeof expected === 'number' ? expected + 1 : -1;
      const placeOf = (j) => ({ stream, revision: next + j, position: this.headPosition + 1 + j });
      if (next >= 0) this.feed.streamGrew(stream, events.map((e, j) => new StoredEvent(e, placeOf(j), this.upcast)));`,
    spec: 'test/contract/sqlite-event-log.spec.ts',
    title: 'subscribers of every kind and start get each event once, in order, from old to live',
  },
  {
    name: 'two-transactions',
    story: 'rows and their checkpoint are written one after the other',
    file: 'libs/read-models/src/postgres/postgres-store.ts',
    symbol: 'PostgresReadModelStore.commit',
    find: 'this.database.transaction',
    replace: '((work) => work(this.database))',
    spec: 'libs/read-models/src/projection/projection.spec.ts',
    title: 'is its rows and its checkpoint, or neither',
  },
];
