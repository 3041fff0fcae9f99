import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { childrenOf } from '../support/child-processes.js';
import { KnowledgeClient } from '../support/knowledge-client.js';
import { scanPdf } from '../support/pdf-files.js';
import { pngOf } from '../support/png-files.js';
import { ADMIN_KEY, ServiceProcess, memoryOf } from '../support/service-process.js';
import { until } from '../support/until.js';

const MEGABYTE = 1024 * 1024;
/** A page of it takes a good part of a second to read. */
const NOTE = { bytes: readFileSync('test/fixtures/documents/note.jpg'), width: 1240, height: 500 };
const scan = (): Buffer => scanPdf(60, NOTE);
const largest = (): Buffer => pngOf({ width: 6_300, height: 6_300, colours: 'rgba' });

let service: ServiceProcess;
let client: KnowledgeClient;
beforeEach(async () => {
  service = await ServiceProcess.prepare({ env: { DOCUMENTS_MEMORY_MB: '512' } });
  client = new KnowledgeClient(() => service.origin, '', ADMIN_KEY);
});
afterEach(() => service.dispose());

const readers = (): number[] => childrenOf(service.pid, 'document-process.js');
const isBeingRead = () => until(() => readers().length === 1);
const shown = async (id: string) => (await client.ask('GET', `/documents/${id}`)).body;
const isOver = (id: string) => until(async () => (await shown(id))['status'] !== 'processing');

/** Uploads what takes longer than an answer may. */
async function uploadSlow(datastore: string, name: string, bytes: Uint8Array): Promise<string> {
  const { status, body } = await client.upload(datastore, name, bytes);
  expect([status, body['status']]).toEqual([201, 'processing']);
  return String(body['document_id']);
}

async function isIndexed(datastore: string, text: string): Promise<void> {
  const { body } = await client.upload(datastore, `${text}.txt`, text);
  const id = String(body['document_id']);
  await isOver(id);
  expect(await shown(id)).toMatchObject({ status: 'indexed' });
}

describe('a document', () => {
  it('that was being read at three deaths of the service is failed; stops in order do not count, and others are read', async () => {
    await service.launch();
    const datastore = await client.documents();
    const id = await uploadSlow(datastore, 'scan.pdf', scan());
    await isBeingRead();
    await service.restart('SIGKILL');
    await isBeingRead();
    await service.restart('SIGKILL');
    for (let stop = 0; stop < 3; stop++) {
      await isBeingRead();
      expect(await shown(id)).toMatchObject({ status: 'processing' });
      await service.restart('SIGTERM');
    }
    await isBeingRead();
    await service.restart('SIGKILL');
    await isOver(id);
    expect(await shown(id)).toMatchObject({
      status: 'failed',
      error: { code: 'unprocessable', message: expect.stringContaining('3 times while it read the file') },
    });
    expect(readers()).toEqual([]);
    await isIndexed(datastore, 'The pump stands beside the well.');
    await service.restart('SIGKILL');
    expect(await shown(id)).toMatchObject({ status: 'failed' });
  });

  it('that takes more memory than its reader may hold is failed for that; the service and others do not feel it', async () => {
    await service.launch();
    const datastore = await client.documents();
    await isIndexed(datastore, 'a first note');
    const before = memoryOf(service.pid);
    let most = before;
    const timer = setInterval(() => (most = Math.max(most, memoryOf(service.pid))), 20);
    const image = largest();
    const answers = await Promise.all([1, 2].map((n) => client.upload(datastore, `${n}.png`, image)));
    for (const { status, body } of answers) {
      if (status === 422) expect(body['detail']).toContain('more than 512 MB');
      else {
        const id = String(body['document_id']);
        await isOver(id);
        const message = 'the file takes too much memory to read: more than 512 MB';
        expect(await shown(id)).toMatchObject({
          status: 'failed',
          error: { code: 'unprocessable', message },
        });
      }
    }
    await isIndexed(datastore, 'a last note');
    clearInterval(timer);
    expect(most - before).toBeLessThan(150 * MEGABYTE);
  });
});
