import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Extraction, Extractor, type Reading } from '#extraction';
import { HastyClock } from '../support/hasty-clock.js';
import { KnowledgeClient } from '../support/knowledge-client.js';
import { KnowledgeHouse } from '../support/knowledge-house.js';
import { until } from '../support/until.js';
import { quiet } from '../support/quiet.js';

const PASSAGE = { text: 'the slow whale', page: 3, heading: '', position: 0 };

/** Reads as slowly as it is told to. */
class SlowExtractor extends Extractor {
  readonly gate = Promise.withResolvers<Extraction>();
  started = 0;

  override async extract({ begin, take, signal }: Reading): Promise<Extraction> {
    await begin();
    this.started += 1;
    await take({ passages: [PASSAGE], language: 'english' });
    const stopped = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    );
    return Promise.race([this.gate.promise, stopped]);
  }

  override async close(): Promise<void> {}
}

const READ: Extraction = { kind: 'extracted', pages: 3, passages: 1, warnings: [] };

describe('documents that take long', () => {
  let house: KnowledgeHouse;
  let extractor: SlowExtractor;
  let datastore: string;
  const client = new KnowledgeClient(() => house.origin);
  const options = () => ({ knowledge: { extractor, clock: new HastyClock(4) } });
  beforeEach(async () => {
    extractor = new SlowExtractor();
    house = await KnowledgeHouse.open(options());
    datastore = await client.documents();
  });
  afterEach(() => house.close());

  const status = async (id: string, wanted: string): Promise<Record<string, unknown>> => {
    const shown = async () => (await client.ask('GET', `/documents/${id}`)).body;
    await until(async () => (await shown())['status'] === wanted, shown);
    return shown();
  };
  const uploaded = async (): Promise<string> => {
    const { status, body } = await client.upload(datastore, 'whale.txt', 'not read by anyone');
    expect([status, body['status'], body['indexed_at']]).toEqual([201, 'processing', null]);
    return String(body['document_id']);
  };

  test('are answered as processing, are not found, then indexed', async () => {
    const id = await uploaded();
    expect(await client.search(datastore, 'whale')).toEqual([]);
    expect((await client.upload(datastore, 'whale.txt', 'not read by anyone')).body['document_id']).toBe(id);
    extractor.gate.resolve(READ);
    expect(await status(id, 'indexed')).toMatchObject({ status: 'indexed', pages: 3, error: null });
    expect(await client.search(datastore, 'whales')).toMatchObject([{ document_id: id, page: 3 }]);
    expect(house.filesOnDisk()).toHaveLength(1);
  });

  test('may fail, with the reason, and may be sent again', async () => {
    const id = await uploaded();
    extractor.gate.resolve({ kind: 'unreadable', code: 'unprocessable', reason: 'the file is damaged' });
    expect(await status(id, 'failed')).toMatchObject({
      status: 'failed',
      indexed_at: null,
      error: { code: 'unprocessable', message: 'the file is damaged' },
    });
    expect(await client.search(datastore, 'whale')).toEqual([]);
    extractor.gate.resolve(READ);
    extractor = new SlowExtractor();
  });

  test('are read after a restart in the middle', async () => {
    const id = await uploaded();
    await house.stop();
    extractor = new SlowExtractor();
    extractor.gate.resolve(READ);
    house.useKnowledge(options().knowledge);
    await house.start();
    expect(await status(id, 'indexed')).toMatchObject({ status: 'indexed' });
    expect(extractor.started).toBe(1);
    expect(await client.search(datastore, 'whale')).toHaveLength(1);
  });

  test('are read again when the tables were lost', async () => {
    extractor.gate.resolve(READ);
    const { body } = await client.upload(datastore, 'whale.txt', 'x');
    expect(body['status']).toBe('indexed');
    await house.models.database.query({ text: 'DROP SCHEMA annals_knowledge CASCADE' });
    await house.stop();
    await house.start();
    await until(async () => (await client.search(datastore, 'whale')).length > 0);
    expect(await client.search(datastore, 'whale')).toHaveLength(1);
    expect(extractor.started).toBe(2);
  });

  test('are tried seldom when their file was lost with the tables, and leave the others their turn', async () => {
    extractor.gate.resolve(READ);
    await client.upload(datastore, 'whale.txt', 'x');
    await house.models.database.query({ text: 'DROP SCHEMA annals_knowledge CASCADE' });
    await house.stop();
    extractor = new SlowExtractor();
    extractor.gate.resolve({ kind: 'unreadable', code: 'unprocessable', reason: 'the file is damaged' });
    house.useKnowledge(options().knowledge);
    await house.start();
    await until(() => extractor.started > 0);
    await quiet(500);
    expect(extractor.started).toBe(1);
    const { body } = await client.ask('GET', `/datastores/${datastore}/documents`);
    expect(body.items).toMatchObject([{ filename: 'whale.txt', status: 'indexed' }]);
  });

  test('stop being read when they are deleted', async () => {
    const id = await uploaded();
    expect((await client.ask('DELETE', `/documents/${id}`)).status).toBe(204);
    await until(() => house.filesOnDisk().length === 0);
    extractor.gate.resolve(READ);
    await quiet(200);
    expect((await client.ask('GET', `/documents/${id}`)).status).toBe(404);
    expect(await client.search(datastore, 'whale')).toEqual([]);
  });
});
