import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KnowledgeClient } from '../support/knowledge-client.js';
import { KnowledgeHouse } from '../support/knowledge-house.js';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const MANUAL = `# Pump manual

## Installation

Mount the pump on a level floor and connect the intake hose before you switch it on.

## Maintenance

Replace the impeller every two years. Grease the bearings monthly.
`;

describe('datastores and documents', () => {
  let house: KnowledgeHouse;
  const client = new KnowledgeClient(() => house.origin);
  const stranger = new KnowledgeClient(() => house.origin, 'two');
  beforeAll(async () => {
    house = await KnowledgeHouse.open();
  });
  afterAll(() => house.close());

  test('a datastore is created, shown, listed and deleted', async () => {
    const made = await client.ask('POST', '/create-datastore', { name: 'manuals', type: 'documents' });
    expect(made).toEqual({
      status: 201,
      body: {
        datastore_id: expect.stringMatching(/^ds_/),
        name: 'manuals',
        type: 'documents',
        created_at: expect.stringMatching(TIME),
      },
    });
    const path = `/datastores/${String(made.body['datastore_id'])}`;
    expect(await client.ask('GET', path)).toEqual({ status: 200, body: made.body });
    const { body } = await client.ask('GET', '/datastores');
    expect(body.items?.[0]).toEqual(made.body);
    expect((await stranger.ask('GET', path)).status).toBe(404);
    expect((await stranger.ask('DELETE', path)).status).toBe(404);
    expect((await client.ask('DELETE', path)).status).toBe(204);
    expect((await client.ask('GET', path)).status).toBe(404);
    expect((await client.ask('GET', '/datastores')).body.items).toEqual([]);
  });

  test('a file that was read in part says so', async () => {
    const datastore = await client.documents();
    const broken = Buffer.concat([Buffer.from('Größe der Öfen '), Buffer.from([0xff])]);
    const { body } = await client.upload(datastore, 'broken.txt', broken);
    const id = String(body['document_id']);
    const warnings = [
      { code: 'broken_characters', detail: '1 place is no character in utf-8; � stands for it' },
    ];
    expect(body).toMatchObject({ status: 'indexed', warnings });
    expect((await client.ask('GET', `/documents/${id}`)).body).toMatchObject({ warnings });
    expect((await client.ask('GET', `/datastores/${datastore}/documents`)).body.items).toMatchObject([
      { document_id: id, warnings },
    ]);
    await client.ask('DELETE', `/documents/${id}`);
  });

  test('a page whose content does not tell that it is one is known by its name', async () => {
    const page = 'The crane, <b>oiled</b> <meta charset="windows-1251">';
    for (const [filename, shown] of [
      ['crane.html', 'The crane, oiled'],
      ['crane.txt', 'The crane, <b>oiled</b> <meta charset="windows-1251">'],
    ] as const) {
      const datastore = await client.documents();
      expect((await client.upload(datastore, filename, page)).body['status']).toBe('indexed');
      expect((await client.search(datastore, 'crane'))[0]).toMatchObject({ text: shown });
      await client.ask('DELETE', `/datastores/${datastore}`);
    }
  });

  test('a file is indexed, found, shown and deleted', async () => {
    const datastore = await client.documents();
    const uploaded = await client.upload(datastore, 'Pümpe manual.md', MANUAL);
    expect(uploaded).toEqual({
      status: 201,
      body: {
        document_id: expect.stringMatching(/^doc_/),
        datastore_id: datastore,
        filename: 'Pümpe manual.md',
        status: 'indexed',
        indexed_at: expect.stringMatching(TIME),
        warnings: [],
      },
    });
    const id = String(uploaded.body['document_id']);
    const [found] = await client.search(datastore, 'how often do I replace impellers');
    expect(found).toMatchObject({ document_id: id, filename: 'Pümpe manual.md', page: null });
    expect(found?.['text']).toContain('Replace the impeller every two years.');
    expect((await client.ask('GET', `/datastores/${datastore}/documents`)).body.items).toMatchObject([
      { document_id: id, status: 'indexed' },
    ]);
    expect(house.filesOnDisk()).toHaveLength(1);
    expect((await client.ask('DELETE', `/documents/${id}`)).status).toBe(204);
    expect(await client.search(datastore, 'impeller')).toEqual([]);
    expect((await client.ask('GET', `/documents/${id}`)).status).toBe(404);
    expect(house.filesOnDisk()).toEqual([]);
  });
});
