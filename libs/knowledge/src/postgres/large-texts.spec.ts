import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SilentLogger } from '#platform';
import type { KnowledgeDatabase } from '../ports.js';
import { PIECE } from './counted-passages.js';
import { GoneTexts, markDatastoreGone } from './gone-texts.js';
import { migrate } from './migrate.js';
import { PassageRows } from './passage-rows.js';
import { SCHEMA } from './tables.js';
import { type Fixture, openFixture } from '../../../../test/support/read-models-fixture.js';

const [LARGE, OTHER] = ['large', 'other'].map((upload) => ({ upload, datastore: 'a datastore' })) as [Of, Of];
type Of = { readonly upload: string; readonly datastore: string };
const PIECES = 3;
const COUNT = PIECE * PIECES - 100;

let fixture: Fixture;
let database: KnowledgeDatabase;
beforeAll(async () => {
  fixture = await openFixture();
  database = fixture.models.database;
});
beforeEach(async () => {
  await database.query({ text: `DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE` });
  await migrate(database, new SilentLogger());
});
afterAll(() => fixture.close());

/** Each passage has a word of its own, and one that all have. */
async function add(rows: PassageRows, of: Of, count = COUNT): Promise<void> {
  await rows.hold(of);
  await rows.begin(of, { isCounted: false });
  const passages = Array.from({ length: count }, (_, n) => {
    return { text: `common ${of.upload}${n}`, page: null, heading: '', position: n };
  });
  await rows.add(of, { from: 0, passages, language: 'simple' }, never);
}

const never = new AbortController().signal;

/** The database, with a look at it after each transaction. */
const watched = (look: () => Promise<void>): KnowledgeDatabase =>
  new Proxy(database, {
    get: (target, name) => {
      if (name !== 'transaction') return Reflect.get(target, name);
      const transaction: KnowledgeDatabase['transaction'] = async (work) => {
        const isDone = await target.transaction(work);
        await look();
        return isDone;
      };
      return transaction;
    },
  });

const numberOf = async (what: string): Promise<number> => {
  const { rows } = await database.query({ text: `SELECT (${what})::int AS n` });
  return (rows[0] as { n: number }).n;
};
const lexemes = () => numberOf(`SELECT count(*) FROM ${SCHEMA}.lexemes`);
const common = () =>
  numberOf(`SELECT coalesce(sum(passages), 0) FROM ${SCHEMA}.lexemes WHERE lexeme = 'common'`);

/** Stops what works when it has done as many pieces. */
function stoppedAfter(pieces: number) {
  const stop = new AbortController();
  let left = pieces;
  const rows = watched(async () => {
    left -= 1;
    if (left === 0) stop.abort(new Error('stopped'));
  });
  return { rows, signal: stop.signal };
}

describe('a large text', () => {
  it('that comes as one paragraph is written a few passages at a time', async () => {
    const seen: number[] = [];
    const written = `SELECT count(*) FROM ${SCHEMA}.passages`;
    await add(
      new PassageRows(
        watched(async () => void seen.push(await numberOf(written))),
        'me',
      ),
      LARGE,
    );
    const steps = seen.map((count, at) => count - (seen[at - 1] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(PIECE);
    expect(seen.at(-1)).toBe(COUNT);
  });

  it('is counted a piece at a time, and others get at its row in between', async () => {
    await add(new PassageRows(database, 'me'), LARGE);
    const seen: number[] = [];
    const rows = new PassageRows(
      watched(async () => void seen.push(await common())),
      'me',
    );
    await rows.complete(LARGE, COUNT, never);
    expect(seen).toEqual([PIECE, PIECE * 2, COUNT, COUNT]);
    expect(await lexemes()).toBe(COUNT + 1);
    expect(await numberOf(`SELECT passages FROM ${SCHEMA}.texts`)).toBe(COUNT);
  });

  it('whose counting was stopped in the middle leaves no count behind', async () => {
    const mine = new PassageRows(database, 'me');
    await add(mine, OTHER, 10);
    await mine.complete(OTHER, 10, never);
    await add(mine, LARGE);
    const { rows, signal } = stoppedAfter(2);
    await expect(new PassageRows(rows, 'me').complete(LARGE, COUNT, signal)).rejects.toThrow('stopped');
    expect(await common()).toBe(10 + PIECE * 2);
    await mine.hold(LARGE);
    expect([await common(), await lexemes()]).toEqual([10, 11]);
    await add(mine, LARGE);
    await mine.complete(LARGE, COUNT, never);
    expect([await common(), await lexemes()]).toEqual([10 + COUNT, 11 + COUNT]);
  });

  it.each([1, 2, 3])(
    'that is gone is removed a piece at a time, by the next one where it stopped after %i',
    async (pieces) => {
      const mine = new PassageRows(database, 'me');
      for (const text of [OTHER, LARGE]) {
        await add(mine, text);
        await mine.complete(text, COUNT, never);
      }
      await database.query({
        text: `UPDATE ${SCHEMA}.texts SET is_gone = true, passages = NULL WHERE upload = '${LARGE.upload}'`,
      });
      await expect(mine.hold(LARGE)).rejects.toThrow('someone else');
      const { rows, signal } = stoppedAfter(pieces);
      expect(await new GoneTexts(rows).removeAll(signal)).toBe(false);
      const left = COUNT - Math.min(COUNT, PIECE * pieces);
      expect([await common(), await lexemes()]).toEqual([COUNT + left, 1 + COUNT + left]);
      expect(await new GoneTexts(database).removeAll(never)).toBe(true);
      expect([await common(), await lexemes()]).toEqual([COUNT, 1 + COUNT]);
      expect(await numberOf(`SELECT count(*) FROM ${SCHEMA}.passages`)).toBe(COUNT);
      expect(await numberOf(`SELECT count(*) FROM ${SCHEMA}.texts`)).toBe(1);
    },
  );

  it('goes with the counts of its datastore, where that was deleted', async () => {
    const mine = new PassageRows(database, 'me');
    const elsewhere = { upload: 'elsewhere', datastore: 'another one' };
    for (const text of [OTHER, LARGE, elsewhere]) await add(mine, text, 20);
    for (const text of [LARGE, elsewhere]) await mine.complete(text, 20, never);
    await database.transaction(async (client) => {
      await markDatastoreGone(client, LARGE.datastore);
      return true;
    });
    await expect(mine.complete(OTHER, 20, never)).rejects.toThrow('not wanted');
    await new GoneTexts(database).removeAll(never);
    expect([await common(), await lexemes()]).toEqual([20, 21]);
    expect(await numberOf(`SELECT count(*) FROM ${SCHEMA}.passages`)).toBe(20);
  });
});
