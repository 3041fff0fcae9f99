import { readFileSync, readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { scanPdf } from '../support/pdf-files.js';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

const DIE_AT_TYPE = resolve('test/e2e/hooks/die-at-type.ts');
/** A page of it takes a good part of a second to read, at a low priority: long beside tests that leave little over. */
const NOTE = { bytes: readFileSync('test/fixtures/documents/note.jpg'), width: 1240, height: 500 };
/** More than can be read in the four seconds in which an upload is answered as indexed. */
const PAGES = 24;
/** Of one search: fewer than the pages, of which none may come twice. */
const MOST_RESULTS = 20;
const TEXT = 'The harbour master keeps the key of the crane.';

let service: ServiceProcess;
beforeEach(async () => void (service = await ServiceProcess.prepare()));
afterEach(() => service.dispose());

/** The next process dies where it says; those after it live. */
const launchToDie = (at: string): Promise<void> =>
  service.launch({ imports: [DIE_AT_TYPE], env: { DIE_AT: at } });

const create = async (headers: Record<string, string> = {}): Promise<string> => {
  const body = { name: 'papers', type: 'documents' };
  const made = await service.client().post('/create-datastore', body, { headers });
  expect(made.status).toBe(201);
  return String(made.json()['datastore_id']);
};

interface Uploaded {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function upload(datastore: string, content: string | Uint8Array, key?: string): Promise<Uploaded> {
  const form = new FormData();
  form.append('datastore_id', datastore);
  form.append('file', new Blob([Buffer.from(content)]), 'papers.txt');
  const headers = {
    authorization: `Bearer ${ADMIN_KEY}`,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const answer = await fetch(`${service.origin}/index-document`, { method: 'POST', headers, body: form });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Of documents: other files of the store are none of ours. */
const filesOnDisk = (): string[] =>
  readdirSync(join(service.dataDir, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const isReadable = (file: string): boolean => readFileSync(file).includes('harbour');

const documents = async (datastore: string) =>
  (await service.client().get(`/datastores/${datastore}/documents`)).json<{
    items: readonly Record<string, unknown>[];
  }>().items;

/** Mostly it is when the upload is answered; of a service that has just started it may take longer. */
const isIndexed = (datastore: string): Promise<void> =>
  until(async () => (await documents(datastore))[0]?.['status'] === 'indexed');

const found = async (datastore: string, query: string): Promise<number> => {
  const answer = await service.client().post(`/datastores/${datastore}/search`, { query });
  return answer.json<{ items: readonly unknown[] }>().items.length;
};

describe('a process that is killed', () => {
  it('in the middle of an upload keeps nothing of it', async () => {
    await service.launch();
    const datastore = await create();
    const socket = connect(service.port, '127.0.0.1').on('error', () => {});
    socket.write(
      `POST /index-document HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ADMIN_KEY}\r\nContent-Length: 900000\r\n` +
        'Content-Type: multipart/form-data; boundary=xx\r\n\r\n' +
        `--xx\r\nContent-Disposition: form-data; name="datastore_id"\r\n\r\n${datastore}\r\n` +
        `--xx\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${TEXT.repeat(5000)}`,
    );
    await until(() => filesOnDisk().some((file) => statSync(file).size > 100_000));
    expect(filesOnDisk().some(isReadable)).toBe(false);
    await service.restart('SIGKILL');
    socket.destroy();
    expect(filesOnDisk()).toEqual([]);
    expect(await documents(datastore)).toEqual([]);
    expect((await upload(datastore, TEXT)).status).toBe(201);
    await isIndexed(datastore);
  });

  it('between the file and its event leaves no file, and the same key makes one document', async () => {
    await launchToDie('sent:document_uploaded');
    const datastore = await create();
    await expect(upload(datastore, TEXT, 'k')).rejects.toThrow();
    await service.exited;
    // The draft, and the file that nothing refers to.
    expect(filesOnDisk()).toHaveLength(2);
    await service.launch();
    await until(() => filesOnDisk().length === 0);
    expect(await documents(datastore)).toEqual([]);
    expect(await found(datastore, 'harbour')).toBe(0);
    expect((await upload(datastore, TEXT, 'k')).status).toBe(201);
    await isIndexed(datastore);
    const first = await upload(datastore, TEXT, 'k');
    expect(first).toMatchObject({ status: 201, body: { status: 'indexed' } });
    expect(await upload(datastore, TEXT, 'k')).toEqual(first);
    expect(await documents(datastore)).toHaveLength(1);
    await service.restart('SIGKILL');
    expect(await upload(datastore, TEXT, 'k')).toEqual(first);
    expect(filesOnDisk()).toHaveLength(1);
    expect(filesOnDisk().some(isReadable)).toBe(false);
    expect(await found(datastore, 'harbour')).toBe(1);
  });

  it('before it could answer has the document all the same, and the same key finds it', async () => {
    await launchToDie('stored:document_uploaded');
    const datastore = await create();
    await expect(upload(datastore, TEXT, 'k')).rejects.toThrow();
    await service.exited;
    await service.launch();
    await isIndexed(datastore);
    const [document] = await documents(datastore);
    expect(document).toMatchObject({ filename: 'papers.txt' });
    const again = await upload(datastore, TEXT, 'k');
    expect(again.body['document_id']).toBe(document?.['document_id']);
    expect(await documents(datastore)).toHaveLength(1);
    expect(await found(datastore, 'harbour')).toBe(1);
    expect(filesOnDisk()).toHaveLength(1);
  });

  it.each(['sent:datastore_created', 'stored:datastore_created'])(
    'at %s makes one datastore of one key',
    async (at) => {
      await launchToDie(at);
      const headers = { 'idempotency-key': 'k' };
      await expect(create(headers)).rejects.toThrow();
      await service.exited;
      await service.launch();
      const id = await create(headers);
      expect(await create(headers)).toBe(id);
      await service.restart('SIGKILL');
      expect(await create(headers)).toBe(id);
      const { items } = (await service.client().get('/datastores')).json<{ items: readonly unknown[] }>();
      expect(items).toMatchObject([{ datastore_id: id }]);
    },
  );

  it('while it reads a scan reads it again, to one document', async () => {
    await service.launch();
    const datastore = await create();
    const scan = scanPdf(PAGES, NOTE);
    const { status, body } = await upload(datastore, scan);
    expect([status, body['status'], body['indexed_at']]).toEqual([201, 'processing', null]);
    await service.restart('SIGKILL');
    const path = `/documents/${String(body['document_id'])}`;
    const again = await upload(datastore, scan);
    expect(again.body['document_id']).toBe(body['document_id']);
    await until(async () => (await service.client().get(path)).json()['status'] !== 'processing');
    expect((await service.client().get(path)).json()).toMatchObject({ status: 'indexed', pages: PAGES });
    expect(await documents(datastore)).toHaveLength(1);
    expect(filesOnDisk()).toHaveLength(1);
    const answer = await service
      .client()
      .post(`/datastores/${datastore}/search`, { query: 'marmalade', limit: MOST_RESULTS });
    const pages = answer.json<{ items: readonly { page: number }[] }>().items.map(({ page }) => page);
    expect(pages).toHaveLength(MOST_RESULTS);
    expect(new Set(pages).size).toBe(MOST_RESULTS);
  });
});
