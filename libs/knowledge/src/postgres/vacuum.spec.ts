import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SilentLogger } from '#platform';
import { type Fixture, openFixture } from '../../../../test/support/read-models-fixture.js';
import type { KnowledgeDatabase } from '../ports.js';
import { migrate } from './migrate.js';
import { isVacuumDue, markVacuumDue, vacuum } from './vacuum.js';

let fixture: Fixture;
let database: KnowledgeDatabase;
beforeAll(async () => {
  fixture = await openFixture();
  database = fixture.models.database;
  await migrate(database, new SilentLogger());
});
afterAll(() => fixture.close());

const mark = (): Promise<boolean> =>
  database.transaction(async (client) => {
    await markVacuumDue(client);
    return true;
  });

/** The database, and something that happens before each of its statements. */
const before = (happen: (number: number) => Promise<unknown> | void): KnowledgeDatabase => {
  let number = 0;
  const query: KnowledgeDatabase['query'] = async (...given) => {
    await happen(++number);
    return database.query(...given);
  };
  return new Proxy(database, {
    get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)),
  });
};

const STATEMENTS = 14;
const NUMBERS = Array.from({ length: STATEMENTS }, (_, at) => at + 1);

describe('a vacuum', () => {
  it('is due from a deletion until it is done', async () => {
    expect(await isVacuumDue(database)).toBe(false);
    await mark();
    await mark();
    expect(await isVacuumDue(database)).toBe(true);
    const numbers: number[] = [];
    await vacuum(before((number) => void numbers.push(number)));
    expect(numbers).toEqual(NUMBERS);
    expect(await isVacuumDue(database)).toBe(false);
  });

  it.each(NUMBERS)('that fails at its statement %i stays due', async (last) => {
    await mark();
    const gone = (number: number): void => {
      if (number === last) throw new Error('gone');
    };
    await expect(vacuum(before(gone))).rejects.toThrow('gone');
    expect(await isVacuumDue(database)).toBe(true);
  });

  it('leaves to the next what was deleted meanwhile', async () => {
    await mark();
    await vacuum(before((number) => (number === 2 ? mark() : undefined)));
    expect(await isVacuumDue(database)).toBe(true);
    await vacuum(database);
    expect(await isVacuumDue(database)).toBe(false);
  });
});
