import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { FileMissing, type FileStore } from '#vault';

export interface FileStoreHarness {
  readonly store: FileStore;
  dispose(): Promise<void>;
}

/** What every file store must do. */
export function fileStoreContract(name: string, makeHarness: () => Promise<FileStoreHarness>): void {
  describe(`file store: ${name}`, () => {
    let harness: FileStoreHarness;
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(() => harness.dispose());

    test.each([0, 1, 3_000_000])('gives back %i bytes as they were put', async (size) => {
      const content = randomBytes(size);
      const name = await harness.store.put('session-1', content);
      expect(Buffer.compare(await harness.store.get('session-1', name), content)).toBe(0);
    });

    test('names a file by its content and its scope', async () => {
      const { store } = harness;
      const name = await store.put('session-1', Buffer.from('same'));
      expect(await store.put('session-1', Buffer.from('same'))).toBe(name);
      expect(await store.put('session-1', Buffer.from('other'))).not.toBe(name);
      expect(await store.put('session-2', Buffer.from('same'))).not.toBe(name);
    });

    test('the same content put many times at once is one file', async () => {
      const content = randomBytes(100_000);
      const names = await Promise.all(Array.from({ length: 20 }, () => harness.store.put('s', content)));
      expect(new Set(names).size).toBe(1);
      expect(Buffer.compare(await harness.store.get('s', names[0]!), content)).toBe(0);
    });

    test('a file of another scope, or of none, is missing', async () => {
      const { store } = harness;
      const name = await store.put('session-1', Buffer.from('mine'));
      await expect(store.get('session-2', name)).rejects.toBeInstanceOf(FileMissing);
      await expect(store.get('session-1', 'f'.repeat(64))).rejects.toBeInstanceOf(FileMissing);
      await expect(store.get('session-1', '../session-1')).rejects.toBeInstanceOf(FileMissing);
    });

    test('removes a scope and leaves the others', async () => {
      const { store } = harness;
      const [gone, kept] = [await store.put('a', Buffer.from('x')), await store.put('b', Buffer.from('x'))];
      await store.remove('a');
      await store.remove('never');
      await expect(store.get('a', gone)).rejects.toBeInstanceOf(FileMissing);
      expect(await store.get('b', kept)).toEqual(Buffer.from('x'));
      expect(await store.put('a', Buffer.from('x'))).toBe(gone);
    });

    test.each(['.', '..', '../../etc', 'a/b', '.drafts', 'ünï cödé', '%2E'])(
      'a scope may be called %j',
      async (scope) => {
        const { store } = harness;
        const name = await store.put(scope, Buffer.from(scope));
        const beside = await store.put('beside', Buffer.from('beside'));
        expect(Buffer.from(await store.get(scope, name)).toString()).toBe(scope);
        await store.remove(scope);
        await expect(store.get(scope, name)).rejects.toBeInstanceOf(FileMissing);
        expect(Buffer.from(await store.get('beside', beside)).toString()).toBe('beside');
      },
    );

    test('a scope without a name is refused', async () => {
      await expect(harness.store.put('', Buffer.from('x'))).rejects.toBeInstanceOf(RangeError);
    });
  });
}
