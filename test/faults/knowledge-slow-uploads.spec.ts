import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { KnowledgeClient } from '../support/knowledge-client.js';
import { KnowledgeHouse } from '../support/knowledge-house.js';
import { until } from '../support/until.js';
import { quiet } from '../support/quiet.js';

const LIMITS = { requestTimeoutMs: 800, headersTimeoutMs: 800, uploadTimeoutMs: 5_000, checkIntervalMs: 100 };
const BOUNDARY = 'x-annals-x';

describe('uploads of slow clients', () => {
  let house: KnowledgeHouse;
  let datastore: string;
  const client = new KnowledgeClient(() => house.origin);
  beforeAll(async () => {
    house = await KnowledgeHouse.open({ limits: LIMITS });
    datastore = await client.documents();
  });
  afterAll(() => house.close());

  const beginning = (): string =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="datastore_id"\r\n\r\n${datastore}\r\n` +
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="slow.txt"\r\n\r\n`;
  const END = `\r\n--${BOUNDARY}--\r\n`;
  const head = (path: string, type: string, length: number, key = 'key-of-one'): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${length}\r\nContent-Type: ${type}\r\n\r\n`;
  const upload = (length: number): string =>
    head('/index-document', `multipart/form-data; boundary=${BOUNDARY}`, length);

  /** Sends the pieces with a pause before each, and gives what came back until the connection ended or the answer was whole. */
  async function dripped(pieces: Iterable<string>, everyMs: number): Promise<string> {
    const socket = connect(Number(new URL(house.origin).port), '127.0.0.1');
    let [text, isOver] = ['', false];
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (/\r\n\r\n.*\}$/s.test(text)) socket.destroy();
    });
    const closed = once(
      socket.on('error', () => {}),
      'close',
    );
    socket.once('close', () => (isOver = true));
    for (const piece of pieces) {
      if (isOver) break;
      socket.write(piece);
      await quiet(everyMs);
    }
    await closed;
    return text;
  }

  const nothingIsLeft = async (): Promise<void> => {
    expect((await client.ask('GET', `/datastores/${datastore}/documents`)).body.items).toEqual([]);
    // The answer does not wait for the removal of the draft.
    await until(() => house.filesOnDisk().length === 0);
  };

  test('one that takes longer than any request may, but keeps coming, is taken', async () => {
    const words = Array.from({ length: 16 }, (_, i) => `word${i} `);
    const body = [beginning(), ...words, END];
    const answer = await dripped([upload(body.join('').length), ...body], 120);
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer).toContain('"status":"indexed"');
    const [found] = await client.search(datastore, 'word15');
    const id = String(found?.['document_id']);
    expect((await client.ask('DELETE', `/documents/${id}`)).status).toBe(204);
  });

  describe('leave nothing behind', () => {
    afterEach(nothingIsLeft);

    test('one that stops is told 408', async () => {
      const answer = await dripped([upload(100_000), beginning(), 'some words'], 50);
      expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*application\/problem\+json[^]*"code":"request_timeout"/);
    });

    test('one that stops before its file is told 408', async () => {
      expect(await dripped([upload(100_000)], 50)).toMatch(/^HTTP\/1\.1 408 /);
    });

    test('one that keeps coming for ever is told 408', async () => {
      const words = Array.from({ length: 100 }, () => 'word ');
      expect(await dripped([upload(100_000), beginning(), ...words], 120)).toMatch(/^HTTP\/1\.1 408 /);
    });

    test('a file of a stranger is not waited for', async () => {
      const words = Array.from({ length: 60 }, () => 'word ');
      const type = `multipart/form-data; boundary=${BOUNDARY}`;
      const request = head('/index-document', type, 100_000, 'no-key');
      const socket = connect(Number(new URL(house.origin).port), '127.0.0.1');
      let [text, isOver] = ['', false];
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      socket.on('error', () => {}).once('close', () => (isOver = true));
      for (const piece of [request, ...words]) {
        if (isOver) break;
        socket.write(piece);
        await quiet(60);
      }
      expect(text).toMatch(/^HTTP\/1\.1 401 /);
      expect(isOver).toBe(true);
    });
  });

  test('anything else has one deadline, however steadily it comes', async () => {
    const letters = Array.from({ length: 100 }, () => 'x');
    const request = head('/create-datastore', 'application/json', 50_000);
    const answer = await dripped([request, '{"name":"', ...letters], 60);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });
});
