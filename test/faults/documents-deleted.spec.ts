import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { filesWith } from '../support/search-bytes.js';
import { indexedDocument } from '../support/indexed-document.js';
import { ServiceProcess } from '../support/service-process.js';
import { quiet } from '../support/quiet.js';
import { until } from '../support/until.js';

let service: ServiceProcess;
beforeAll(async () => void (service = await ServiceProcess.start()));
afterAll(() => service.dispose());

const create = async (): Promise<string> => {
  const made = await service.client().post('/create-datastore', { name: 'papers', type: 'documents' });
  return String(made.json()['datastore_id']);
};

async function upload(datastore: string, name: string, content: string): Promise<string> {
  return String((await indexedDocument(service, datastore, { name, content }))['document_id']);
}

const search = async (datastore: string, query: string): Promise<readonly unknown[]> => {
  const answer = await service.client().post(`/datastores/${datastore}/search`, { query });
  return answer.json<{ items: readonly { filename: string }[] }>().items.map(({ filename }) => filename);
};

const filesOnDisk = (): number =>
  readdirSync(join(service.dataDir, 'files'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  ).length;

const remove = async (path: string): Promise<void> =>
  expect((await service.client().call('DELETE', path)).status).toBe(204);

/** Where a word stands below the data folder when the service has ended in order: nothing is only in memory then. */
async function onDisk(words: readonly string[]): Promise<readonly string[]> {
  await service.kill('SIGTERM');
  const found = await filesWith(service.dataDir, words);
  await service.launch();
  return found;
}

/** A service vacuums two seconds after it begins, and each look stops it: on a busy machine it is given longer each time. */
async function untilVacuumed(words: readonly string[]): Promise<void> {
  let patience = 4_000;
  await until(
    async () => {
      await quiet(patience);
      patience *= 2;
      return (await onDisk(words)).length === 0;
    },
    () => onDisk(words),
  );
}

it('the file of one document stays while another with the same content goes', async () => {
  const datastore = await create();
  const [one, two] = [
    await upload(datastore, 'one.txt', 'the quince tree'),
    await upload(datastore, 'two.txt', 'the quince tree'),
  ];
  expect(filesOnDisk()).toBe(2);
  await remove(`/documents/${one}`);
  expect(filesOnDisk()).toBe(1);
  expect(await search(datastore, 'quince')).toEqual(['two.txt']);
  await remove(`/documents/${two}`);
  expect(filesOnDisk()).toBe(0);
});

it('of a deleted document and of a deleted datastore no byte of text is left', async () => {
  const [kept, dropped] = [await create(), await create()];
  const stays = await upload(kept, 'stays.txt', 'The albatross stays on the island.');
  const text = `${'Nothing of it. '.repeat(200)} The zanzibarquokka goes. `.repeat(30);
  const goes = await upload(kept, 'goes.txt', text);
  await upload(dropped, 'dropped.txt', 'The quetzalmandrill goes with its datastore.');
  expect(await search(kept, 'zanzibarquokka')).not.toEqual([]);
  expect(await search(dropped, 'quetzalmandrill')).not.toEqual([]);
  const words = ['zanzibarquokka', 'quetzalmandrill'];
  const before = await onDisk(words);
  for (const word of words) expect(before.filter((line) => line.endsWith(word)).length).toBeGreaterThan(1);
  await remove(`/documents/${goes}`);
  await remove(`/datastores/${dropped}`);
  await untilVacuumed(words);
  expect(await search(kept, 'albatross')).toEqual(['stays.txt']);
  await remove(`/documents/${stays}`);
});

it('a process that is killed before it has vacuumed leaves that to the next', async () => {
  const datastore = await create();
  const id = await upload(datastore, 'goes.txt', 'The ypsilonocelot goes as well.');
  expect((await onDisk(['ypsilonocelot'])).length).toBeGreaterThan(1);
  await remove(`/documents/${id}`);
  await service.restart('SIGKILL');
  await untilVacuumed(['ypsilonocelot']);
});
