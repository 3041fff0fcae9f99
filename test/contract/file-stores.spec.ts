import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DiskFileStore, FileMissing, MemoryFileStore } from '#event-log';
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
