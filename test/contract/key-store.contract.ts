import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ContentKey, LogUnavailable } from '#event-log';
import { type KeyStore, type StoredKey, type StoreState, rotateMaster } from '#vault';

export interface KeyStoreHarness {
  /** A store on the same keys, as each process has one of its own. */
  open(): Promise<KeyStore>;
  /** Closes those that are open, and removes what they kept. */
  dispose(): Promise<void>;
}

const M1 = new ContentKey('m1', Buffer.alloc(32, 1));
const M2 = new ContentKey('m2', Buffer.alloc(32, 2));
export const AT = 1_750_000_000_000;
const SUCCESSOR = { of: 'm1', wrapped: Buffer.from('m2 under m1') };

export const begunAs = (storeId: string): StoreState => ({
  storeId,
  master: 'm1',
  root: M1.seal(Buffer.alloc(32, 9), 'root'),
  generation: 0,
  successor: null,
});

/** A key whose bytes follow from its id. */
export const keyCalled = (id: string, master = M1): StoredKey => ({
  id,
  master: master.id,
  wrapped: master.seal(Buffer.alloc(32, id), `key ${id}`),
});

export const keysCalled = (prefix: string, count: number): StoredKey[] =>
  Array.from({ length: count }, (_, n) => keyCalled(`${prefix}${n}`));

const idsOf = (keys: readonly StoredKey[]): string[] => keys.map(({ id }) => id);

/** What is there of these keys, in their order. */
export async function found(store: KeyStore, ids: readonly string[]): Promise<StoredKey[]> {
  const keys = await store.read(ids);
  return keys.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

/** The n-th call of it breaks off. */
function brokenAt(store: KeyStore, call: number): KeyStore {
  let left = call;
  return new Proxy(store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        if (left-- === 0) throw new LogUnavailable('broken off');
        return method.apply(target, args);
      };
    },
  });
}

/** What every key store must do. */
export function keyStoreContract(name: string, makeHarness: () => Promise<KeyStoreHarness>): void {
  describe(`key store: ${name}`, () => {
    let harness: KeyStoreHarness;
    let store: KeyStore;
    beforeEach(async () => {
      harness = await makeHarness();
      store = await harness.open();
    });
    afterEach(() => harness.dispose());

    beginning(
      () => store,
      () => harness,
    );
    keeping(
      () => store,
      () => harness,
    );
    destroying(
      () => store,
      () => harness,
    );
    changingMasters(
      () => store,
      () => harness,
    );
  });
}

type Given<T> = () => T;

function beginning(store: Given<KeyStore>, harness: Given<KeyStoreHarness>): void {
  test('has no state until it is begun, by one of many at once', async () => {
    const stores = [store(), await harness().open(), await harness().open()];
    expect(await store().state()).toBeNull();
    const wanted = ['a', 'b', 'c'].map(begunAs);
    await Promise.all(wanted.map((state, i) => stores[i]!.begin(state)));
    const state = await store().state();
    expect(wanted).toContainEqual(state);
    await store().begin(begunAs('late'));
    for (const one of stores) expect(await one.state()).toEqual(state);
  });

  test('keeps the place that erasures have reached, and goes back only for another log', async () => {
    const other = await harness().open();
    expect(await store().checkpoint()).toBeNull();
    await store().saveCheckpoint({ logId: 'log', position: 5 });
    await other.saveCheckpoint({ logId: 'log', position: 3 });
    expect(await store().checkpoint()).toEqual({ logId: 'log', position: 5 });
    const places = Array.from({ length: 20 }, (_, n) => 40 - n);
    await Promise.all(
      places.map((position, i) => [store(), other][i % 2]!.saveCheckpoint({ logId: 'log', position })),
    );
    expect(await other.checkpoint()).toEqual({ logId: 'log', position: 40 });
    await store().saveCheckpoint({ logId: 'another', position: 2 });
    expect(await other.checkpoint()).toEqual({ logId: 'another', position: 2 });
  });

  test('that is closed says that it does not answer', async () => {
    const closed = await harness().open();
    await closed.begin(begunAs('a'));
    await closed.close();
    const asked: readonly (() => Promise<unknown>)[] = [
      () => closed.state(),
      () => closed.begin(begunAs('b')),
      () => closed.read(['a']),
      () => closed.add([keyCalled('a')]),
      () => closed.destroy('a', AT),
      () => closed.placeBelow('a', 'b'),
      () => closed.destroyTree('a', AT),
      () => closed.remove(['a']),
      () => closed.checkpoint(),
      () => closed.saveCheckpoint({ logId: 'log', position: 1 }),
      () => closed.signed('example.com/log'),
      () => closed.saveSigned('example.com/log', 0, { seal: 1, text: '' }),
      () => closed.replaceMaster({ ...begunAs('a'), master: 'm2' }),
      () => closed.notUnder('m2', 1),
      () => closed.rewrap([keyCalled('a')]),
    ];
    for (const ask of asked) await expect(ask()).rejects.toBeInstanceOf(LogUnavailable);
    expect(await store().state()).toMatchObject({ storeId: 'a', generation: 0, master: 'm1' });
  });
}

function keeping(store: Given<KeyStore>, harness: Given<KeyStoreHarness>): void {
  test('gives keys back as they were added, each batch under a generation of its own', async () => {
    await store().begin(begunAs('s'));
    const [a, b, c] = [keyCalled('a'), keyCalled('b'), keyCalled('c')];
    expect(await store().add([a, b])).toBe(1);
    expect(await store().add([c])).toBe(2);
    expect(await found(store(), ['c', 'nothing', 'a'])).toEqual([c, a]);
    expect(await store().read([])).toEqual([]);
    expect(await store().state()).toEqual({ ...begunAs('s'), root: expect.any(Buffer), generation: 2 });
  });

  test('keeps all of a batch, or nothing', async () => {
    await store().begin(begunAs('s'));
    const [a, b] = [keyCalled('a'), keyCalled('b')];
    await store().add([a]);
    await expect(store().add([b, keyCalled('a', M1)])).rejects.toBeInstanceOf(LogUnavailable);
    expect(await found(store(), ['a', 'b'])).toEqual([a]);
    expect((await store().state())?.generation).toBe(1);
    expect(await store().add([b])).toBe(2);
  });

  test('takes batches of several at once: none is lost, and no generation given twice', async () => {
    await store().begin(begunAs('s'));
    const stores = [store(), await harness().open()];
    const batches = Array.from({ length: 20 }, (_, n) => keysCalled(`${n} `, 20));
    const generations = await Promise.all(batches.map((batch, i) => stores[i % 2]!.add(batch)));
    expect(generations.toSorted((a, b) => Number(a) - Number(b))).toEqual(batches.map((_, i) => i + 1));
    const all = batches.flat();
    expect(await found(store(), idsOf(all))).toEqual(all);
  });

  test('removes keys for good, and no others', async () => {
    await store().begin(begunAs('s'));
    const keys = keysCalled('k', 4);
    await store().add(keys);
    await store().remove(['k1', 'k3', 'never']);
    expect(idsOf(await found(store(), idsOf(keys)))).toEqual(['k0', 'k2']);
  });

  test('has everything for whoever opens it next', async () => {
    const first = await harness().open();
    await first.begin(begunAs('s'));
    const keys = keysCalled('k', 3);
    await first.add(keys);
    await first.destroy('k1', AT);
    await first.saveCheckpoint({ logId: 'log', position: 7 });
    const [state, kept] = [await first.state(), await found(first, idsOf(keys))];
    await first.close();
    const next = await harness().open();
    expect(await next.state()).toEqual(state);
    expect(await found(next, idsOf(keys))).toEqual(kept);
    expect(await next.checkpoint()).toEqual({ logId: 'log', position: 7 });
  });
}

function destroying(store: Given<KeyStore>, harness: Given<KeyStoreHarness>): void {
  const isDestroyed = async (id: string): Promise<boolean> => {
    const [key] = await store().read([id]);
    return key?.wrapped === null;
  };

  test('destroys a key for good: it is neither removed nor wrapped nor added any more', async () => {
    await store().begin(begunAs('s'));
    await store().add(keysCalled('k', 3));
    // One that an older copy of the store never had, too.
    for (const id of ['k1', 'never']) {
      await store().destroy(id, AT);
      await store().destroy(id, AT + 1);
      expect(await isDestroyed(id)).toBe(true);
      await store().remove([id]);
      await store().rewrap([keyCalled(id, M2)]);
      await expect(store().add([keyCalled(id)])).rejects.toBeInstanceOf(LogUnavailable);
      expect(await isDestroyed(id)).toBe(true);
    }
    expect(idsOf(await store().notUnder('m2', 10)).toSorted()).toEqual(['k0', 'k2']);
  });

  test('destroys under the eyes of readers, and of others who destroy: the keys beside stay as they are', async () => {
    await store().begin(begunAs('s'));
    const keys = keysCalled('k', 6);
    await store().add(keys);
    const stores = [store(), await harness().open(), await harness().open()];
    const gone = ['k1', 'k2', 'k4'];
    const [reads] = await Promise.all([
      Promise.all(Array.from({ length: 30 }, (_, n) => found(stores[n % 3]!, idsOf(keys)))),
      ...gone.flatMap((id) => stores.map((one) => one.destroy(id, AT))),
    ]);
    const last = await found(store(), idsOf(keys));
    for (const read of [...reads, last])
      for (const [i, key] of keys.entries())
        if (!gone.includes(key.id)) expect(read[i]).toEqual(key);
        else expect([null, key.wrapped]).toContainEqual(read[i]?.wrapped);
    expect(last.filter(({ wrapped }) => wrapped === null).map(({ id }) => id)).toEqual(gone);
  });
}

function changingMasters(store: Given<KeyStore>, harness: Given<KeyStoreHarness>): void {
  const replaced = { master: 'm2', root: M2.seal(Buffer.alloc(32, 9), 'root'), successor: SUCCESSOR };

  test('takes no batch under a master key that was replaced', async () => {
    const other = await harness().open();
    await store().begin(begunAs('s'));
    await store().replaceMaster(replaced);
    expect(await other.add([keyCalled('a', M1)])).toBeNull();
    expect(await other.read(['a'])).toEqual([]);
    expect(await other.state()).toEqual({ ...replaced, storeId: 's', generation: 0 });
    expect(await other.add([keyCalled('a', M2)])).toBe(1);
    await other.replaceMaster({ ...replaced, successor: null });
    expect(await store().state()).toEqual({ ...replaced, successor: null, storeId: 's', generation: 1 });
  });

  test('names what another master key wraps, so many at a time, until all is wrapped anew', async () => {
    await store().begin(begunAs('s'));
    const keys = keysCalled('k', 5);
    await store().add(keys);
    await store().destroy('k2', AT);
    const seen: string[] = [];
    for (;;) {
      const some = idsOf(await store().notUnder('m2', 3));
      if (some.length === 0) break;
      expect(some.length).toBeLessThanOrEqual(3);
      seen.push(...some);
      const anew = some.map((id) => keyCalled(id, M2));
      await store().rewrap(anew);
      await store().rewrap(anew);
      expect(await found(store(), some)).toEqual(anew);
    }
    expect(seen.toSorted()).toEqual(['k0', 'k1', 'k3', 'k4']);
    expect(await store().notUnder('m1', 10)).toHaveLength(4);
  });

  test('is wrapped anew however often that is broken off, and while another destroys', async () => {
    await store().begin(begunAs('s'));
    const keys = keysCalled('k', 1_200);
    await store().add(keys);
    const other = await harness().open();
    for (let calls = 0; calls < 6; calls++) {
      await rotateMaster(brokenAt(store(), calls), M1, M2).catch((error: unknown) => {
        if (!(error instanceof LogUnavailable)) throw error;
      });
      await other.destroy(`k${calls}`, AT);
    }
    await rotateMaster(other, M1, M2);
    expect(await store().notUnder('m2', 1)).toEqual([]);
    const last = await found(store(), idsOf(keys));
    expect(last.slice(0, 6).map(({ wrapped }) => wrapped)).toEqual(Array(6).fill(null));
    for (const { id, master, wrapped } of last.slice(6)) {
      expect(master).toBe('m2');
      expect(M2.open(wrapped!, `key ${id}`)).toEqual(Buffer.alloc(32, id));
    }
  });
}
