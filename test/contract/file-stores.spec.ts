import { mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DiskFileStore, FileMissing, MemoryFileStore } from '#vault';
import { fileStoreContract } from './file-store.contract.js';

const SECRET = Buffer.alloc(32, 7);
const freshFolder = () => mkdtemp(join(tmpdir(), 'annals-files-'));

fileStoreContract('MemoryFileStore', async () => ({ store: new MemoryFileStore(), dispose: async () => {} }));
fileStoreContract('DiskFileStore', async () => {
  const folder = await freshFolder();
  const store = await DiskFileStore.open(join(folder, 'files'), SECRET);
  return { store, dispose: () => rm(folder, { recursive: true }) };
});

test('a folder that is opened again has its files, and no drafts but those that another process may write', async () => {
  const folder = await freshFolder();
  const name = await (await DiskFileStore.open(folder, SECRET)).put('s', Buffer.from('content'));
  for (const draft of ['half', 'young']) await writeFile(join(folder, '.drafts', draft), 'cont');
  const twoHoursAgo = Date.now() / 1000 - 7_200;
  await utimes(join(folder, '.drafts', 'half'), twoHoursAgo, twoHoursAgo);
  const store = await DiskFileStore.open(folder, SECRET);
  expect(Buffer.from(await store.get('s', name)).toString()).toBe('content');
  expect(await readdir(join(folder, '.drafts'))).toEqual(['young']);
  await DiskFileStore.open(folder, SECRET, { isAlone: true });
  expect(await readdir(join(folder, '.drafts'))).toEqual([]);
  await rm(folder, { recursive: true });
});

test('a file that came in pieces is sealed from its draft on, and opened with its key alone, whole or not at all', async () => {
  const folder = await freshFolder();
  const store = await DiskFileStore.open(folder, SECRET);
  const piece = 64 * 1024;
  for (const bytes of [0, 1, piece - 1, piece, piece + 1, 3 * piece, 3 * piece + 5]) {
    const content = Buffer.alloc(bytes, 'what nobody may read ');
    async function* pieces() {
      for (let at = 0; at < bytes; at += 50_000) yield content.subarray(at, at + 50_000);
    }
    const received = await store.receive(pieces(), bytes);
    const [draft = ''] = await readdir(join(folder, '.drafts'));
    expect((await readFile(join(folder, '.drafts', draft))).includes('nobody')).toBe(false);
    expect(content.equals(await received.read())).toBe(true);
    const name = await received.keep('s');
    await received.discard();
    const { key } = received;
    const read = (key: string) => store.kept('s', name, { bytes, key }).read();
    expect(content.equals(await read(key))).toBe(true);
    const file = join(folder, 's', name);
    const sealed = await readFile(file);
    expect(sealed.includes('nobody')).toBe(false);
    await expect(read('ab'.repeat(32))).rejects.toThrow(FileMissing);
    const changed = Buffer.from(sealed);
    changed[changed.length >> 1]! ^= 1;
    const whole = piece + 28;
    const cut = sealed.length > whole ? sealed.subarray(0, whole) : sealed.subarray(0, -1);
    const moved = Buffer.concat([sealed.subarray(whole, 2 * whole), sealed.subarray(0, whole)]);
    const wrong = [changed, cut, Buffer.concat([sealed, sealed]), ...(sealed.length > whole ? [moved] : [])];
    for (const damaged of wrong) {
      await writeFile(file, damaged);
      await expect(read(key)).rejects.toThrow(FileMissing);
    }
    await rm(file);
    await expect(read(key)).rejects.toThrow(FileMissing);
  }
  await rm(folder, { recursive: true });
});

test('a file of before files were sealed is read as it lies', async () => {
  const folder = await freshFolder();
  const store = await DiskFileStore.open(folder, SECRET);
  const name = await store.put('s', Buffer.from('content'));
  const file = store.kept('s', name, { bytes: 7, key: undefined });
  expect(Buffer.from(await file.read()).toString()).toBe('content');
  await expect(store.kept('s', '../s', { bytes: 7, key: undefined }).read()).rejects.toThrow(FileMissing);
  await rm(folder, { recursive: true });
});

test('a damaged file is not given, and healed by the same content', async () => {
  const folder = await freshFolder();
  const store = await DiskFileStore.open(folder, SECRET);
  const name = await store.put('s', Buffer.from('content'));
  await writeFile(join(folder, 's', name), 'cOntent');
  await expect(store.get('s', name)).rejects.toThrow(FileMissing);
  await store.put('s', Buffer.from('content'));
  expect(Buffer.from(await store.get('s', name)).toString()).toBe('content');
  await rm(folder, { recursive: true });
});
