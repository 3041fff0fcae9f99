import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { exchange } from './http-shell.js';
import { KnowledgeClient } from '../support/knowledge-client.js';
import { KnowledgeHouse } from '../support/knowledge-house.js';
import { quiet } from '../support/quiet.js';

const LIMIT = 1024 * 1024;
const BOUNDARY = 'x-annals-x';

const part = (disposition: string, content = ''): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const END = `--${BOUNDARY}--\r\n`;

const BINARY = new Uint8Array([0, 1, 2, 3, 0, 255, 254, 0]);

describe('uploads', () => {
  let house: KnowledgeHouse;
  let datastore: string;
  const client = new KnowledgeClient(() => house.origin);
  beforeAll(async () => {
    house = await KnowledgeHouse.open({ egressAllow: '127.0.0.1', maxUploadBytes: LIMIT });
    datastore = await client.documents();
  });
  afterAll(() => house.close());

  const raw = (body: string | Uint8Array, type = `multipart/form-data; boundary=${BOUNDARY}`) =>
    client.ask('POST', '/index-document', Buffer.from(body), { 'content-type': type });
  const file = (name = 'a.txt', content = 'some text') => part(`name="file"; filename="${name}"`, content);
  const store = (id = datastore) => part('name="datastore_id"', id);

  describe('what is refused leaves nothing behind', () => {
    afterEach(async () => {
      const { body } = await client.ask('GET', `/datastores/${datastore}/documents`);
      expect(body.items).toEqual([]);
      expect(house.filesOnDisk()).toEqual([]);
    });

    test.each<[string, () => string, string]>([
      ['no file', () => store() + END, 'file'],
      ['two files', () => store() + file() + file('b.txt') + END, 'file'],
      ['a file without a name', () => store() + part('name="file"', 'text') + END, 'file'],
      ['a file with an empty name', () => store() + file('') + END, 'file'],
      ['no datastore', () => file() + END, 'datastore_id'],
      ['two datastores', () => store() + store() + file() + END, 'datastore_id'],
      ['an empty datastore', () => store('') + file() + END, 'datastore_id'],
      ['an unknown field', () => store() + part('name="tags"', 'x') + file() + END, 'tags'],
      ['a path', () => store() + file('../../etc/passwd') + END, 'file'],
      ['a path of Windows', () => store() + file('C:\\x\\a.txt') + END, 'file'],
      ['a control character', () => store() + file('a\u0007.txt') + END, 'file'],
      ['a name that is too long', () => store() + file(`${'a'.repeat(300)}.txt`) + END, 'file'],
    ])('%s: 400', async (_, body, path) => {
      const { status, body: problem } = await raw(body());
      expect([status, problem['code']]).toEqual([400, 'invalid_request']);
      expect(problem['errors']).toContainEqual({ path, message: expect.any(String) });
    });

    test('a name that is not UTF-8: 400', async () => {
      const [before, after] = `${store()}${file('a#.txt')}${END}`.split('#') as [string, string];
      const body = Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xfe]), Buffer.from(after)]);
      expect((await raw(body)).status).toBe(400);
    });

    test.each<[string, string | undefined, number]>([
      ['JSON', 'application/json', 415],
      ['a form', 'application/x-www-form-urlencoded', 415],
      ['no boundary', 'multipart/form-data', 400],
      ['another boundary', 'multipart/form-data; boundary=other', 400],
    ])('%s', async (_, type, status) => {
      expect((await raw(store() + file() + END, type)).status).toBe(status);
    });

    test('a body that ends too early: 400', async () => {
      expect((await raw(store() + file().slice(0, -3))).status).toBe(400);
      expect((await raw(file())).status).toBe(400);
    });

    test('a client that goes away in the middle', async () => {
      const head = `POST /index-document HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key-of-one\r\nContent-Length: 100000\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\n\r\n`;
      const port = Number(new URL(house.origin).port);
      const gone = exchange(port, head + store() + file('a.txt', 'x'.repeat(5000)));
      await quiet(200);
      house.hangUp();
      expect((await gone).status).toBe(0);
      await quiet(200);
    });

    test('a file over the limit: 413, with and without a length', async () => {
      const large = store() + file('a.txt', 'x'.repeat(LIMIT + 1)) + END;
      expect((await raw(large)).body).toMatchObject({ status: 413, code: 'payload_too_large' });
      expect((await raw(store() + file('a.txt', 'x'.repeat(LIMIT * 3)) + END)).status).toBe(413);
    });

    test.each([
      ['an unknown datastore', () => 'ds_unknown', 404],
      ['nonsense', () => '../x', 404],
    ])('%s: 404', async (_, id, status) => {
      expect((await client.upload(id(), 'a.txt', 'text')).status).toBe(status);
    });

    test('a foreign datastore: 404; a database: 422', async () => {
      const stranger = new KnowledgeClient(() => house.origin, 'two');
      expect((await stranger.upload(datastore, 'a.txt', 'text')).status).toBe(404);
      const metadata = { connectionString: 'postgres://a:b@127.0.0.1/x' };
      const made = await client.ask('POST', '/create-datastore', { name: 'db', type: 'database', metadata });
      expect((await client.upload(String(made.body['datastore_id']), 'a.txt', 'text')).status).toBe(422);
      // What no datastore takes is said first.
      for (const id of ['ds_unknown', datastore, String(made.body['datastore_id'])])
        expect((await stranger.upload(id, 'a.exe', BINARY)).status).toBe(415);
      expect((await client.upload('ds_unknown', 'a.rtf', '{\\rtf1 hello}')).status).toBe(415);
    });

    test.each<[string, string | Uint8Array, number]>([
      ['empty', '', 422],
      ['blank', '  \n ', 422],
      ['binary', BINARY, 415],
      ['a broken PDF', '%PDF-1.4 nothing', 422],
    ])('%s', async (_, content, status) => {
      const answer = await client.upload(datastore, 'a.pdf', content);
      expect([answer.status, typeof answer.body['detail']]).toEqual([status, 'string']);
    });
  });

  test.each<[string, object, string]>([
    ['no connection string', { name: 'a', type: 'database' }, 'metadata.connectionString'],
    [
      'an empty one',
      { name: 'a', type: 'database', metadata: { connectionString: '' } },
      'metadata.connectionString',
    ],
    [
      'another scheme',
      { name: 'a', type: 'database', metadata: { connectionString: 'sqlite:///etc/x' } },
      'metadata.connectionString',
    ],
    [
      'a socket',
      { name: 'a', type: 'database', metadata: { connectionString: 'postgres://u:p@h/db?host=/var/run' } },
      'metadata.connectionString',
    ],
    [
      'a private host',
      { name: 'a', type: 'database', metadata: { connectionString: 'postgres://u:p@10.0.0.1/db' } },
      'metadata.connectionString',
    ],
    [
      'metadata of a cloud',
      {
        name: 'a',
        type: 'database',
        metadata: { connectionString: 'mysql://u:p@metadata.google.internal/db' },
      },
      'metadata.connectionString',
    ],
    [
      'a connection string for documents',
      { name: 'a', type: 'documents', metadata: { connectionString: 'postgres://u:p@h/db' } },
      'metadata.connectionString',
    ],
    ['another type', { name: 'a', type: 'vectors' }, 'type'],
    ['no name', { type: 'documents' }, 'name'],
    ['an unknown field', { name: 'a', type: 'documents', metadata: { colour: 'red' } }, 'metadata.colour'],
  ])('create-datastore with %s: 400', async (_, body, path) => {
    const answer = await client.ask('POST', '/create-datastore', body);
    expect([answer.status, answer.body['errors']]).toEqual([400, [{ path, message: expect.any(String) }]]);
    expect(JSON.stringify(answer.body)).not.toMatch(/u:p|10\.0\.0\.1|secret/);
  });

  test('parts come in any order, names are UTF-8', async () => {
    const id = await client.documents();
    const { status, body } = await raw(file('Größe 日本.txt', 'first the file') + store(id) + END);
    expect([status, body['filename'], body['status']]).toEqual([201, 'Größe 日本.txt', 'indexed']);
  });

  test('the same file twice is one document, another name is another', async () => {
    const id = await client.documents();
    const [a, b, c, ...many] = await Promise.all([
      client.upload(id, 'a.txt', 'twice the same'),
      client.upload(id, 'a.txt', 'twice the same'),
      client.upload(id, 'c.txt', 'twice the same'),
      ...Array.from({ length: 5 }, () => client.upload(id, 'a.txt', 'twice the same')),
    ]);
    expect(new Set([a, b, ...many].map(({ body }) => body['document_id'])).size).toBe(1);
    expect(c?.body['document_id']).not.toBe(a?.body['document_id']);
    const { body } = await client.ask('GET', `/datastores/${id}/documents`);
    expect(body.items).toHaveLength(2);
    expect(await client.search(id, 'twice')).toHaveLength(2);
    expect((await client.ask('DELETE', `/documents/${String(a?.body['document_id'])}`)).status).toBe(204);
    expect(await client.search(id, 'twice')).toMatchObject([{ filename: 'c.txt' }]);
    const again = await client.upload(id, 'a.txt', 'twice the same');
    expect(again.body).toMatchObject({ document_id: a?.body['document_id'], status: 'indexed' });
    expect(await client.search(id, 'twice')).toHaveLength(2);
    const before = house.filesOnDisk().length;
    expect((await client.ask('DELETE', `/datastores/${id}`)).status).toBe(204);
    expect(house.filesOnDisk()).toHaveLength(before - 2);
    expect((await client.ask('GET', `/documents/${String(a?.body['document_id'])}`)).status).toBe(404);
    const left = await house.models.database.query({
      text: `SELECT (SELECT count(*) FROM annals_knowledge.texts WHERE datastore = $1)
        + (SELECT count(*) FROM annals_knowledge.lexemes WHERE datastore = $1)
        + (SELECT count(*) FROM annals_knowledge.passages WHERE lexemes @@ ('''@' || $1 || '''')::tsquery) AS rows`,
      values: [id],
    });
    expect(left.rows).toEqual([{ rows: '0' }]);
  });

  test('idempotency keys: the same datastore and document again', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const make = (name: string) =>
      client.ask('POST', '/create-datastore', { name, type: 'documents' }, headers);
    const [first, second] = await Promise.all([make('once'), make('once')]);
    expect(first).toEqual(second);
    expect((await make('other')).body).toMatchObject({ status: 422, code: 'idempotency_mismatch' });
    const id = String(first.body['datastore_id']);
    const uploaded = await client.upload(id, 'a.txt', 'once and for all', headers);
    expect(await client.upload(id, 'a.txt', 'once and for all', headers)).toEqual(uploaded);
    expect((await client.upload(id, 'b.txt', 'once and for all', headers)).body['code']).toBe(
      'idempotency_mismatch',
    );
    expect((await client.upload(id, 'a.txt', 'other', headers)).status).toBe(422);
    await client.ask('DELETE', `/datastores/${id}`);
    expect((await make('once')).status).toBe(404);
    expect((await client.upload(id, 'a.txt', 'once and for all', headers)).status).toBe(404);
  });

  test('nothing secret is stored in clear', async () => {
    const metadata = { connectionString: 'postgres://seekrit-user:seekrit-word@127.0.0.1/x' };
    await client.ask('POST', '/create-datastore', { name: 'db', type: 'database', metadata });
    const texts: string[] = [];
    for await (const { events } of house.log.readAll()) {
      texts.push(...events.map(({ json }) => json));
      break;
    }
    expect(texts.join()).toContain('"connection":"k1.');
    expect(texts.join()).not.toContain('seekrit');
  });

  test('lists have pages', async () => {
    const id = await client.documents();
    for (const name of ['1', '2', '3']) await client.upload(id, `${name}.txt`, `text ${name}`);
    const first = await client.ask('GET', `/datastores/${id}/documents?limit=2`);
    expect(first.body.items?.map(({ filename }) => filename)).toEqual(['3.txt', '2.txt']);
    const next = await client.ask(
      'GET',
      `/datastores/${id}/documents?limit=2&cursor=${String(first.body['next_cursor'])}`,
    );
    expect(next.body).toMatchObject({ items: [{ filename: '1.txt' }], next_cursor: null });
    expect((await client.ask('GET', '/datastores?cursor=nonsense')).status).toBe(400);
  });
});
