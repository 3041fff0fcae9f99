import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { HOUSE_ORIGIN, SealedHouse, checkpointOf } from '../../../test/support/proof/sealed-house.js';
import { parseNote } from '#proof';
import { collect } from '#event-log';
import { PROOF_STREAM, proofLogEvent } from './proof-log.js';
import { SealingStopped } from './sealing-stopped.js';
import type { Sealing } from './sealing.js';

let house: SealedHouse;
beforeEach(async () => void (house = await SealedHouse.open()));
afterEach(() => house.close());

async function begun(origin?: string): Promise<Sealing> {
  const sealing = await house.sealing(origin);
  await sealing.begin();
  return sealing;
}

const seals = async () =>
  (await collect(house.log.readStream(PROOF_STREAM))).flatMap((event) => {
    const read = proofLogEvent(event);
    return read?.type === 'log_sealed' ? [read.data] : [];
  });

/** Whether what is published is what the log's events make, and what the log says. */
async function expectTrue(): Promise<void> {
  const logged = await seals();
  const published = (await house.store.status()).published!;
  const text = checkpointOf(
    await house.events(),
    logged.map(({ events }) => events),
  );
  expect(parseNote(published.note)?.text).toBe(text);
  expect(logged.map(({ seal }) => seal)).toEqual(logged.map((_, n) => n + 1));
  expect(logged.at(-1)).toMatchObject({ note: published.note, seal: published.seal, log: house.log.logId });
  const kept = JSON.parse((await house.signed.signed(HOUSE_ORIGIN))!.text) as { note: string };
  expect(parseNote(kept.note)?.text).toBe(text);
}

describe('the sealing of a log', () => {
  test('signs what came, with a directory behind it, and nothing where nothing but the house wrote', async () => {
    await house.append('session-a', 3);
    const sealing = await begun();
    expect(await sealing.seal()).toBe(true);
    await expectTrue();
    expect(await sealing.seal()).toBe(false);
    await house.append('relay-callbacks', 5);
    expect(await sealing.seal()).toBe(false);
    for (let n = 0; n < 30; n++) {
      await house.append(`session-${n % 7}`, n + 1);
      await house.append('relay-callbacks');
      expect(await sealing.seal()).toBe(true);
    }
    await expectTrue();
    expect((await seals()).length).toBe(31);
  });

  test('goes on after a start, over tiles that are full, and over more events than are held at once', async () => {
    for (let n = 0; n < 40; n++) await house.append(`session-${n}`, 130);
    expect(await (await begun()).seal()).toBe(true);
    await expectTrue();
    await house.append('session-1', 300);
    expect(await (await begun()).seal()).toBe(true);
    await expectTrue();
  });

  test('goes on over more streams than are held at once, which come again behind the others', async () => {
    for (let round = 0; round < 2; round++)
      for (let n = 0; n < 5_400; n += 60)
        await Promise.all(Array.from({ length: 60 }, (_, k) => house.append(`session-${n + k}`)));
    expect(await (await begun()).seal()).toBe(true);
    await expectTrue();
  });

  test('makes the tables anew where they are lost or wanted, and finds in them what was signed', async () => {
    const sealing = await begun();
    for (let n = 0; n < 5; n++) {
      await house.append(`session-${n}`, 60);
      await sealing.seal();
    }
    const { tables } = house.store;
    await house.store.wantRebuild();
    await begun();
    expect(house.store.tables.tree).toEqual({ ...tables.tree, tree: expect.any(String) });
    expect(house.store.tables.tree?.tree).not.toBe(tables.tree?.tree);
    expect(house.store.tables.tiles).toEqual(tables.tiles);
    expect(house.store.tables.byTag).toEqual(tables.byTag);
    expect(house.store.tables.buckets).toEqual(tables.buckets);
    await house.append('session-0');
    await (await begun()).seal();
    await expectTrue();
  });

  test('seals everything again under another origin, from the first event, and says what came before', async () => {
    await house.append('session-a', 3);
    await (await begun()).seal();
    const before = (await house.store.status()).published!.note;
    const sealing = await begun('another.example/log');
    expect((await house.store.status()).published).toBeNull();
    expect(await sealing.seal()).toBe(true);
    const events = await collect(house.log.readStream(PROOF_STREAM));
    const added = events.filter(({ type }) => type === 'log_key_added').at(-1)!;
    expect(added.data).toMatchObject({ origin: 'another.example/log', number: 1, before });
    const note = (await house.store.status()).published!.note;
    const { events: sealed } = (await seals()).at(-1)!;
    expect(parseNote(note)?.text).toBe(checkpointOf(await house.events(), [sealed], 'another.example/log'));
  });

  test('says what came before as it was signed, where the log was restored from before that', async () => {
    const beforeOf = async (origin: string): Promise<unknown> => {
      await house.keys(origin);
      const events = await collect(house.log.readStream(PROOF_STREAM));
      return (events.at(-1)!.data as { readonly before?: unknown }).before;
    };
    await house.append('session-a', 3);
    await (await begun()).seal();
    const kept = JSON.parse((await house.signed.signed(HOUSE_ORIGIN))!.text) as object;
    const later = (note: string): string => JSON.stringify({ ...kept, seal: 2, note });
    await house.signed.saveSigned(HOUSE_ORIGIN, 1, { seal: 2, text: later('newer') });
    expect(await beforeOf('second.example/log')).toBe('newer');
    // Of the second the log has its key alone, and nothing was signed; of the third something was.
    expect(await beforeOf('third.example/log')).toBe('newer');
    await house.signed.saveSigned('third.example/log', 0, { seal: 2, text: later('newest') });
    expect(await beforeOf('fourth.example/log')).toBe('newest');
  });

  test('of two processes one seals, and the other reads again', async () => {
    await house.append('session-a', 3);
    const [one, two] = [await begun(), await begun()];
    const done = await Promise.allSettled([one.seal(), two.seal()]);
    expect(done.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    for (let n = 0; n < 10; n++) {
      await house.append('session-b', 2);
      for (const each of [one, two])
        await each.seal().catch(async (error: unknown) => {
          expect(error).toMatchObject({ name: 'Overtaken' });
          await each.begin();
          await each.seal();
        });
    }
    await expectTrue();
  });
});

describe('nothing more is signed', () => {
  const stopped = async (reason: string): Promise<void> => {
    const failure = await (await house.sealing()).begin().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SealingStopped);
    expect(failure).toMatchObject({ reason });
  };

  test('of a log that is older than its key store, or another one', async () => {
    const older = await SealedHouse.open();
    await house.append('session-a', 3);
    await (await begun()).seal();
    [house.log, older.log] = [older.log, house.log];
    await stopped('log_changed');
    [house.log, older.log] = [older.log, house.log];
    const kept = JSON.parse((await house.signed.signed(HOUSE_ORIGIN))!.text) as {
      last: { revision: number };
    };
    const ahead = { ...kept, last: { ...kept.last, revision: kept.last.revision + 1 } };
    await house.signed.saveSigned(HOUSE_ORIGIN, 1, { seal: 2, text: JSON.stringify({ ...ahead, seal: 2 }) });
    await stopped('log_rolled_back');
    await house.signed.saveSigned(HOUSE_ORIGIN, 2, { seal: 3, text: JSON.stringify({ ...kept, seal: 3 }) });
    await stopped('log_rolled_back');
    await older.close();
  });

  test('of a log whose events are not those that were signed', async () => {
    await house.append('session-a', 3);
    await (await begun()).seal();
    const kept = JSON.parse((await house.signed.signed(HOUSE_ORIGIN))!.text) as object;
    await house.append('session-a', 2);
    const keys = await house.keys();
    const note = keys.sign('house.example/log\n6\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n');
    await house.signed.saveSigned(HOUSE_ORIGIN, 1, {
      seal: 2,
      text: JSON.stringify({ ...kept, seal: 2, size: 8, events: 6, note }),
    });
    await stopped('log_rewritten');
  });
});
