import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { KeyStore } from '#vault';
import type { KeyStoreHarness } from './key-store.contract.js';

/** What a key store must do with what was signed. */
export function signedStatesContract(name: string, makeHarness: () => Promise<KeyStoreHarness>): void {
  describe(`what was signed: ${name}`, () => {
    let harness: KeyStoreHarness;
    let store: KeyStore;
    beforeEach(async () => {
      harness = await makeHarness();
      store = await harness.open();
    });
    afterEach(() => harness.dispose());

    test('keeps what was signed last under a name, and of several that would be next takes one', async () => {
      const others = await Promise.all([0, 1, 2, 3].map(() => harness.open()));
      const race = (before: number, origin = 'example.com/log') =>
        Promise.all(
          others.map((one, n) =>
            one.saveSigned(origin, before, { seal: before + 1, text: `${n} "é" ${before}` }),
          ),
        );
      expect(await store.signed('example.com/log')).toBeNull();
      for (let before = 0; before < 20; before++) {
        const saved = await race(before);
        expect(saved.filter(Boolean)).toHaveLength(1);
        const won = { seal: before + 1, text: `${saved.indexOf(true)} "é" ${before}` };
        for (const one of [store, ...others]) expect(await one.signed('example.com/log')).toEqual(won);
      }
      expect(await race(3)).toEqual([false, false, false, false]);
      expect(await race(7, 'other.example/log')).toEqual([false, false, false, false]);
      expect(await store.signed('other.example/log')).toBeNull();
      // A store that was behind its log is brought to where the log is.
      expect(await store.saveSigned('example.com/log', 20, { seal: 30, text: 'of the log' })).toBe(true);
      expect(await others[0]!.signed('example.com/log')).toEqual({ seal: 30, text: 'of the log' });
    });
  });
}
