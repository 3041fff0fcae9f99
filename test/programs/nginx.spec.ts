import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from '../integration/http-shell.js';
import { Nginx, nginxVersion } from '../support/nginx.js';
import { expectKeptOpen } from '../support/quiet-stream.js';
import { Gate, before, say } from '../support/scripted-model.js';
import { ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

/** A free one might be another test's a moment later. */
const NOBODYS_PORT = 1;
const version = nginxVersion();
if (version === null) process.stdout.write('nginx is not installed: its tests are skipped\n');

(version === null ? describe.skip : describe)('through nginx with deploy/nginx.conf', () => {
  let stage: Stage;
  let nginx: Nginx | undefined;
  let client: ServiceClient;
  const originOf = () => nginx?.origin ?? '';
  beforeAll(async () => {
    stage = await Stage.open();
    // The second replica is down, so that each request that meets it must be given to the other.
    nginx = await Nginx.start([stage.service.port, NOBODYS_PORT]);
    client = new ServiceClient(originOf, ADMIN_KEY);
  });
  afterAll(async () => {
    await nginx?.close();
    await stage.close();
  });

  it('an event is there while the model still speaks', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('slow'), say('First.', before(gate), ' Second.'));
    const stream = await client.run({ message, streaming_tokens: true });
    await stream.until(({ event }) => event.content === 'First.', 'the first piece');
    expect(stream.end).toBe('open');
    expect(stream.isOver).toBe(false);
    gate.open();
    await stream.closed();
    expect(stream.end).toBe('ended');
    expect(stream.lines.at(-1)).toBe('agent_completed');
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(stream.headers['content-location']).toBe(`/runs/${stream.run}`);
  });

  it('a stream that was left is read on from after any of its events', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('left'), say('One.', before(gate), ' Two.'));
    const first = await client.run({ message, streaming_tokens: true });
    await first.until(({ event }) => event.content === 'One.', 'the first piece');
    first.leave();
    const second = await client.follow(`/runs/${first.run}`, first.lastId);
    gate.open();
    await second.closed();
    const whole = await (await stage.client.follow(`/runs/${first.run}`)).closed();
    expect([...first.records, ...second.records].map(({ json }) => json)).toEqual(
      whole.records.map(({ json }) => json),
    );
    for (const after of whole.ids.slice(0, -1)) {
      const rest = await (await client.follow(`/runs/${first.run}`, after)).closed();
      expect(rest.ids).toEqual(whole.ids.filter((id) => id > after));
    }
    const none = await client.get(`/runs/${first.run}/events?after=${whole.lastId}`);
    expect(none.status).toBe(204);
  });

  it('a comment keeps a quiet stream open', async () => {
    const { session } = await client.runToEnd(stage.message('quiet'));
    await expectKeptOpen(client, session);
  });

  it('refusals come as the service made them', async () => {
    const without = await new ServiceClient(originOf, '').get('/runs');
    expect([without.status, without.json()['code']]).toEqual([401, 'unauthenticated']);
    const large = await client.post('/', { message: 'x'.repeat(3 * 1024 * 1024) });
    expect([large.status, large.json()['code']]).toEqual([413, 'payload_too_large']);
    const unknown = await client.post('/', { message: 'a', modus: 'max' });
    expect(unknown.json()['errors']).toEqual([{ path: 'modus', message: 'is not a known field' }]);
  });

  it('a repeat with the same key is the same run', async () => {
    const headers = { 'idempotency-key': 'through-nginx' };
    const message = stage.message('once');
    const first = await client.runToEnd(message, { headers });
    const again = await client.runToEnd(message, { headers });
    expect(again.run_id).toBe(first.run_id);
  });

  const host = 'Host: localhost\r\n';
  const key = `Authorization: Bearer ${ADMIN_KEY}\r\n`;
  it.each<[string, string]>([
    [
      'two lengths',
      `POST / HTTP/1.1\r\n${host}${key}Content-Length: 2\r\nContent-Length: 20\r\n\r\n{}GET /healthz HTTP/1.1\r\n\r\n`,
    ],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\n${host}${key}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /runs HTTP/1.1\r\n\r\n`,
    ],
    [
      'chunks in a chain',
      `POST / HTTP/1.1\r\n${host}${key}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    ],
    ['an odd coding', `POST / HTTP/1.1\r\n${host}${key}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    [
      'a chunk that is too large',
      `POST / HTTP/1.1\r\n${host}${key}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n`,
    ],
    ['a space before the colon', `GET /runs HTTP/1.1\r\n${host}Authorization : Bearer ${ADMIN_KEY}\r\n\r\n`],
    ['two hosts', `GET /runs HTTP/1.1\r\n${host}Host: elsewhere\r\n${key}\r\n`],
    ['no host', `GET /runs HTTP/1.1\r\n${key}\r\n`],
    ['NUL in a header', `GET /runs HTTP/1.1\r\n${host}${key}X-A: a\0b\r\n\r\n`],
    ['a header that is too large', `GET /runs HTTP/1.1\r\n${host}${key}X-A: ${'a'.repeat(40_000)}\r\n\r\n`],
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('%s: refused, and nothing behind it is answered', async (_, bytes) => {
    const { status, head, body } = await exchange(
      Number(new URL(originOf()).port),
      Buffer.from(bytes, 'latin1'),
    );
    expect([...`${head}${body}`.matchAll(/HTTP\/1\.1 \d/g)].length).toBeLessThan(2);
    expect(status === 0 || (status >= 400 && status !== 500 && status !== 502)).toBe(true);
    expect((await client.get('/readyz')).status).toBe(200);
  });
});
