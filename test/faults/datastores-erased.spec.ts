import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, it } from '@jest/globals';
import { verifyLog } from '#event-log';
import { openIn } from '../reliability/evidence.js';
import { indexedDocument } from '../support/indexed-document.js';
import { filesWith } from '../support/search-bytes.js';
import { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';
import { quiet } from '../support/quiet.js';

const FIXTURE = 'test/fixtures/datastores-1';
const PASSWORD = 'tulpenzwiebel';
const ENV = { EGRESS_ALLOW: '127.0.0.1' };

const folders: string[] = [];
let service: ServiceProcess | null = null;
afterEach(async () => {
  await service?.dispose();
  service = null;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'annals-datastores-'));
  folders.push(folder);
  return folder;
}

/** What a copy of the log and the files says, with the keys that the service has now. */
async function readable(copy: string, dataDir: string): Promise<string> {
  const folder = newFolder();
  for (const [name, from] of [
    ['log', copy],
    ['keys', dataDir],
    ['master.key', dataDir],
  ] as const)
    cpSync(join(from, name), join(folder, name), { recursive: true });
  const { log, vault, close } = await openIn(folder);
  try {
    const texts: string[] = [];
    for await (const { events } of log.readAll()) texts.push(...events.map(({ json }) => json));
    const { faults } = await verifyLog(log, { keys: vault });
    expect(faults).toEqual([]);
    return texts.join('\n');
  } finally {
    await close();
  }
}

function copyOf(dataDir: string): string {
  const copy = newFolder();
  for (const name of ['log', 'files']) cpSync(join(dataDir, name), join(copy, name), { recursive: true });
  return copy;
}

/** Ids of keys that are destroyed. */
function destroyed(dataDir: string): readonly string[] {
  const db = new DatabaseSync(join(dataDir, 'keys', 'keys.db'), { readOnly: true });
  try {
    return db
      .prepare('SELECT id FROM keys WHERE wrapped IS NULL')
      .all()
      .map(({ id }) => String(id));
  } finally {
    db.close();
  }
}

const create = async (of: ServiceProcess, body: object): Promise<string> =>
  String((await of.client().post('/create-datastore', body)).json()['datastore_id']);

const upload = async (of: ServiceProcess, datastore: string, name: string, content: string) =>
  String((await indexedDocument(of, datastore, { name, content }))['document_id']);

const remove = async (of: ServiceProcess, path: string): Promise<void> =>
  expect((await of.client().call('DELETE', path)).status).toBe(204);

const found = async (of: ServiceProcess, datastore: string, query: string): Promise<readonly string[]> => {
  const answer = await of.client().post(`/datastores/${datastore}/search`, { query });
  return answer.json<{ items: readonly { filename: string }[] }>().items.map(({ filename }) => filename);
};

/** The index is made after the start. */
async function isFound(of: ServiceProcess, datastore: string, query: string, name: string): Promise<void> {
  await until(async () => (await found(of, datastore, query)).length > 0);
  expect(await found(of, datastore, query)).toEqual([name]);
}

it('a deleted document, and a deleted datastore with all of its own, cannot be opened with the keys that are left', async () => {
  service = await ServiceProcess.start({ env: ENV });
  const { dataDir } = service;
  const papers = await create(service, { name: 'papers', type: 'documents' });
  const metadata = { connectionString: `postgres://reader:${PASSWORD}@127.0.0.1:5999/shop` };
  const shop = await create(service, { name: 'zuckerladen', type: 'database', metadata });
  const goes = await upload(service, papers, 'wallaby-goes.txt', 'The wallaby goes over the hills.');
  await upload(service, papers, 'tortoise.txt', 'The tortoise keeps its shell.');
  await service.kill('SIGTERM');
  const copy = copyOf(dataDir);
  expect(await readable(copy, dataDir)).toMatch(/wallaby-goes.*tortoise|tortoise.*wallaby-goes/s);
  await service.launch();

  await remove(service, `/documents/${goes}`);
  expect(destroyed(dataDir)).toHaveLength(1);
  expect(await found(service, papers, 'wallaby')).toEqual([]);
  expect(await found(service, papers, 'tortoise')).toEqual(['tortoise.txt']);
  await service.kill('SIGTERM');
  const text = await readable(copy, dataDir);
  expect(text).not.toContain('wallaby-goes');
  expect(text).toContain('tortoise.txt');
  await service.launch();

  // It is no secret that the same file may come again.
  expect(await upload(service, papers, 'wallaby-goes.txt', 'The wallaby goes over the hills.')).toBe(goes);
  expect(await found(service, papers, 'wallaby')).toEqual(['wallaby-goes.txt']);
  await remove(service, `/datastores/${papers}`);
  await remove(service, `/datastores/${shop}`);
  // Two datastores, and in one of them three documents.
  expect(destroyed(dataDir)).toHaveLength(5);
  for (const path of [`/datastores/${papers}`, `/datastores/${shop}`, `/documents/${goes}`])
    expect((await service.client().get(path)).status).toBe(404);
  await quiet(6_000);
  await service.kill('SIGTERM');
  for (const log of [copy, dataDir]) {
    const left = await readable(log, dataDir);
    for (const word of ['wallaby', 'tortoise', 'papers', 'zuckerladen', '"connection"', 'fileKey'])
      expect(left).not.toContain(word);
  }
  const words = ['wallaby', 'tortoise', 'zuckerladen', PASSWORD];
  expect(await filesWith(dataDir, words)).toEqual([]);
});

it('datastores of an earlier version get keys of their own: what is deleted of them is gone, and what was', async () => {
  const dataDir = newFolder();
  for (const name of ['log', 'keys']) {
    mkdirSync(join(dataDir, name));
    writeFileSync(
      join(dataDir, name, `${name}.db`),
      gunzipSync(readFileSync(join(FIXTURE, `${name}.db.gz`))),
    );
  }
  for (const name of ['files', 'master.key'])
    cpSync(join(FIXTURE, name), join(dataDir, name), { recursive: true });
  const ids = JSON.parse(readFileSync(join(FIXTURE, 'ids.json'), 'utf8')) as Record<string, string>;
  const { papers = '', keeps, goes, gone, dropped, shop = '' } = ids;
  const copy = copyOf(dataDir);
  const before = await readable(copy, dataDir);
  for (const word of ['keeps.txt', 'goes.txt', 'gone.txt', 'dropped.txt', 'shop'])
    expect(before).toContain(word);

  service = await ServiceProcess.start({ env: ENV, dataDir });
  // Those of the datastore that was deleted, of the one with documents, and of the database.
  await until(() => destroyed(dataDir).length >= 3);
  expect(destroyed(dataDir)).toHaveLength(3);
  await isFound(service, papers, 'tortoise', 'keeps.txt');
  const shown = await service.client().get(`/documents/${keeps}`);
  expect(shown.json()).toMatchObject({ filename: 'keeps.txt', status: 'indexed' });
  for (const path of [`/documents/${gone}`, `/datastores/${dropped}`])
    expect((await service.client().get(path)).status).toBe(404);
  await remove(service, `/documents/${goes}`);
  await service.restart('SIGKILL');
  expect(destroyed(dataDir)).toHaveLength(4);
  expect(await found(service, papers, 'wallaby')).toEqual([]);
  const run = await service
    .client()
    .runToEnd({ message: 'Which tables?', datastores: [{ id: shop, name: 'shop' }] });
  expect(run.status).toBe('completed');
  await service.kill('SIGTERM');
  const old = await readable(copy, dataDir);
  for (const word of ['keeps.txt', 'goes.txt', 'gone.txt', 'dropped.txt', '"connection"', 'fileKey'])
    expect(old).not.toContain(word);
  const now = await readable(dataDir, dataDir);
  expect(now).toContain('keeps.txt');
  expect(now).toMatch(/"connection":"k1\./);
  expect(now).not.toContain('goes.txt');

  // The tables are made again of what can still be read.
  rmSync(join(dataDir, 'postgres'), { recursive: true, force: true });
  await service.launch();
  await isFound(service, papers, 'tortoise', 'keeps.txt');
  expect((await service.client().get('/datastores')).json()['items']).toMatchObject([
    { datastore_id: shop, name: 'shop', created_at: expect.stringMatching(/^2026-11-25/) },
    { datastore_id: papers, name: 'papers' },
  ]);
  await remove(service, `/datastores/${papers}`);
  await service.kill('SIGTERM');
  expect(await readable(dataDir, dataDir)).not.toContain('keeps.txt');
  expect(readdirSync(join(dataDir, 'files')).filter((name) => name.startsWith('document-'))).toEqual([]);
});
