import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { KeyStore } from '#vault';
import { AT, type KeyStoreHarness, begunAs, keysCalled } from './key-store.contract.js';

/** What every key store must do with keys that are destroyed with others. */
export function keysBelowContract(name: string, makeHarness: () => Promise<KeyStoreHarness>): void {
  describe(`keys below others: ${name}`, () => {
    let harness: KeyStoreHarness;
    let store: KeyStore;
    beforeEach(async () => {
      harness = await makeHarness();
      store = await harness.open();
    });
    afterEach(() => harness.dispose());

    const isDestroyed = async (id: string): Promise<boolean> => {
      const [key] = await store.read([id]);
      return key?.wrapped === null;
    };

    test('destroys a key with all that are below it, and places none below one that is destroyed', async () => {
      await store.begin(begunAs('s'));
      await store.add(keysCalled('k', 6));
      const other = await harness.open();
      for (const id of ['k1', 'k2']) expect(await store.placeBelow(id, 'k0')).toBe(true);
      expect(await other.placeBelow('k5', 'k4')).toBe(true);
      // It stays where it was placed first.
      expect(await other.placeBelow('k2', 'k4')).toBe(true);
      await store.destroy('k1', AT);
      for (let times = 0; times < 2; times++)
        expect((await other.destroyTree('k0', AT)).toSorted()).toEqual(['k0', 'k1', 'k2']);
      for (const id of ['k0', 'k1', 'k2']) expect(await isDestroyed(id)).toBe(true);
      for (const id of ['k3', 'k4', 'k5']) expect(await isDestroyed(id)).toBe(false);
      for (const parent of ['k0', 'never']) expect(await store.placeBelow('k3', parent)).toBe(false);
      expect(await store.destroyTree('k3', AT)).toEqual(['k3']);
    });

    test('decides between a key that is placed and the destruction of the other: it goes, or is refused', async () => {
      await store.begin(begunAs('s'));
      await store.add(keysCalled('k', 40));
      const other = await harness.open();
      const ids = Array.from({ length: 39 }, (_, n) => `k${n + 1}`);
      const placing = ids.map((id, n) => (n % 2 === 0 ? store : other).placeBelow(id, 'k0'));
      const [, placed] = await Promise.all([other.destroyTree('k0', AT), Promise.all(placing)]);
      for (const [n, id] of ids.entries()) expect(await isDestroyed(id)).toBe(placed[n]);
    });

    test('keeps a place for each kind of erasures', async () => {
      const other = await harness.open();
      await store.saveCheckpoint({ logId: 'another', position: 2 });
      await store.saveCheckpoint({ logId: 'log', position: 9 }, 'datastores');
      await other.saveCheckpoint({ logId: 'log', position: 8 }, 'datastores');
      expect(await other.checkpoint('datastores')).toEqual({ logId: 'log', position: 9 });
      expect(await other.checkpoint('resealed')).toBeNull();
      expect(await other.checkpoint()).toEqual({ logId: 'another', position: 2 });
    });
  });
}
