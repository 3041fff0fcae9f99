import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Shell, exchange, startShell } from './http-shell.js';

const KEY = 'Authorization: Bearer annals_run\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';

const post = (body: string | Buffer, more = ''): readonly (string | Buffer)[] => [
  `POST /echo HTTP/1.1\r\nHost: a\r\n${KEY}${JSON_TYPE}${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
  body,
];
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('nonsense gets a problem and harms nobody', () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await startShell({
      limits: { requestTimeoutMs: 700, headersTimeoutMs: 500, checkIntervalMs: 100 },
    });
  });
  afterAll(async () => {
    expect((await fetch(`${shell.origin}/healthz`)).status).toBe(200);
    shell.app.getHttpServer().closeAllConnections();
    await shell.app.close();
  });

  const refused = async (status: number, pieces: readonly (string | Buffer)[], detail?: RegExp) => {
    const answer = await exchange(shell.port, ...pieces);
    expect(answer.status).toBe(status);
    expect(answer.head.toLowerCase()).toContain('content-type: application/problem+json');
    const problem = JSON.parse(answer.body) as Record<string, unknown>;
    expect(problem).toMatchObject({ type: 'about:blank', status, request_id: expect.any(String) });
    expect(answer.body).not.toMatch(/node_modules|at .*\.js/);
    if (detail !== undefined) expect(String(problem['detail'])).toMatch(detail);
    return problem;
  };

  test.each<[string, string]>([
    [
      'Content-Length and Transfer-Encoding',
      `POST /echo HTTP/1.1\r\nHost: a\r\n${KEY}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'two Content-Lengths',
      `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n{}{}`,
    ],
    ['a signed Content-Length', `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\n{}`],
    ['a blank before the colon', `GET /echo HTTP/1.1\r\nHost : a\r\n\r\n`],
    [
      'a folded Transfer-Encoding',
      `POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'an unknown Transfer-Encoding',
      `POST /echo HTTP/1.1\r\nHost: a\r\n${KEY}${JSON_TYPE}Transfer-Encoding: xchunked\r\n\r\n`,
    ],
    [
      'chunked, then identity',
      `POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n`,
    ],
    ['bare line feeds', `GET /echo HTTP/1.1\nHost: a\n\n`],
    ['a bare carriage return', `GET /echo HTTP/1.1\r\nHost: a\rX: b\r\n\r\n`],
    ['NUL in a header', `GET /echo HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n`],
    [
      'a chunk size that overflows',
      `POST /echo HTTP/1.1\r\nHost: a\r\n${KEY}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`,
    ],
    [
      'chunks ended by line feeds',
      `POST /echo HTTP/1.1\r\nHost: a\r\n${KEY}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n`,
    ],
    ['no Host', `GET /echo HTTP/1.1\r\n\r\n`],
    ['two Hosts', `GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n`],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a method that is none', `BREW /echo HTTP/1.1\r\nHost: a\r\n\r\n`],
  ])('400 for %s', async (_name, request) => {
    await refused(400, [Buffer.from(request, 'latin1')]);
  });

  test.each<[string, string | Buffer, RegExp]>([
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), /UTF-8/],
    ['an encoded surrogate (CESU)', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /UTF-8/],
    ['a byte order mark', '\ufeff{}', /JSON/],
    ['a raw NUL', '{"message":"a\0b"}', /position 13/],
    ['an escaped NUL', '{"rules":["a",{"b":"\\u0000"}]}', /^rules\[1\]\.b: must not contain U\+0000/],
    ['a lone high surrogate', '{"message":"\\ud83d"}', /^message: must not contain a lone surrogate/],
    ['a lone low surrogate in a key', '{"a":{"\\udc00":1}}', /^a: has a key/],
    ['__proto__', '{"a":{"__proto__":{"x":1}}}', /__proto__/],
    ['an escaped __proto__', '{"\\u005f_proto__":1}', /__proto__/],
    ['nesting of 65', nested(65), /64/],
    ['nesting of 100,000', nested(100_000), /64/],
    ['an unfinished object', '{"message":', /position 11/],
    ['no JSON', 'hello, world', /position 0/],
    ['two values', '{}{}', /position 2/],
  ])('400 for a body with %s', async (_name, body, detail) => {
    const problem = await refused(400, post(body), detail);
    expect(problem['code']).toBe('invalid_request');
  });

  test('takes what only looks dangerous', async () => {
    const body = JSON.stringify({ a: '\ud83d\ude00 \\u0000', b: '['.repeat(200), c: '__proto__' });
    const escaped = body.replace('\ud83d\ude00', '\\ud83d\\ude00');
    const answer = await exchange(shell.port, ...post(escaped));
    expect(answer.status).toBe(200);
    expect((JSON.parse(Buffer.from(answer.body, 'latin1').toString()) as { body: unknown }).body).toEqual(
      JSON.parse(body),
    );
    expect((await exchange(shell.port, ...post(nested(64)))).status).toBe(200);
  });

  test('413 for a body over the limit, read to its end or not', async () => {
    await refused(413, post(`{"message":"${'x'.repeat(10_000_000)}"}`));
    const chunk = `40000\r\n${'x'.repeat(0x40000)}\r\n`;
    await refused(413, [
      `POST /echo HTTP/1.1\r\nHost: a\r\n${KEY}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n`,
      chunk,
      chunk,
      '0\r\n\r\n',
    ]);
    await refused(413, [
      `POST /echo HTTP/1.1\r\nHost: a\r\n${KEY}${JSON_TYPE}Content-Length: 999999999999\r\n\r\n`,
    ]);
  });

  test('431 for headers over the limit', async () => {
    await refused(431, [`GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`]);
    await refused(431, [`GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`]);
    await refused(431, [`GET /healthz HTTP/1.1\r\nHost: a\r\n${'a: b\r\n'.repeat(3_000)}\r\n`]);
  });

  test('404 for a path that is no percent-encoding', async () => {
    await refused(404, [`GET /%zz HTTP/1.1\r\nHost: a\r\n${KEY}\r\n`]);
    await refused(401, ['GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n']);
  });

  test('417 for an expectation, 100 for the known one', async () => {
    await refused(417, [
      `POST /echo HTTP/1.1\r\nHost: a\r\nExpect: the-inquisition\r\nContent-Length: 0\r\n\r\n`,
    ]);
    const [head, body] = post('{}', 'Expect: 100-continue\r\n');
    const answer = await exchange(shell.port, String(head));
    expect([answer.status, body]).toEqual([100, '{}']);
  });

  test.each([
    ['another type', 'text/plain', '', '{}'],
    ['a form', 'application/x-www-form-urlencoded', '', 'a=b'],
    ['a broken type', 'json', '', '{}'],
    ['another charset', 'application/json; charset=latin1', '', '{}'],
    ['an encoded body', 'application/json', 'Content-Encoding: gzip\r\n', '{}'],
  ])('415 for %s', async (_name, type, more, body) => {
    await refused(415, [
      `POST /echo HTTP/1.1\r\nHost: a\r\n${KEY}Content-Type: ${type}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`,
    ]);
  });

  test('415 for a body without a type; none at all is fine, whatever type it has', async () => {
    await refused(415, [`POST /echo HTTP/1.1\r\nHost: a\r\n${KEY}Content-Length: 2\r\n\r\n{}`]);
    for (const type of ['', JSON_TYPE, 'Content-Type: application/x-www-form-urlencoded\r\n']) {
      const request = `POST /echo HTTP/1.1\r\nHost: a\r\n${KEY}${type}Content-Length: 0\r\n\r\n`;
      expect(await exchange(shell.port, request)).toMatchObject({ status: 200 });
    }
    const json = post('{}')[0]?.toString().replace('json', 'json; charset=UTF-8');
    expect((await exchange(shell.port, String(json), '{}')).status).toBe(200);
  });

  test('an offer to upgrade is not taken up', async () => {
    const answer = await exchange(
      shell.port,
      `GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
    );
    expect(answer.status).toBe(200);
  });

  test('408 for headers and bodies that do not end', async () => {
    await Promise.all([
      refused(408, ['GET /healthz HTTP/1.1\r\nHost: a\r\nX: ']),
      refused(408, [`POST /echo HTTP/1.1\r\nHost: a\r\n${KEY}${JSON_TYPE}Content-Length: 9\r\n\r\n{`]),
      refused(408, [
        `POST /echo HTTP/1.1\r\nHost: a\r\n${KEY}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
      ]),
      dripped(shell.port),
    ]);
  });

  test('an answer that streams outlives the time-outs, and no 400 is written into it', async () => {
    const head = `GET /stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer annals_read\r\n\r\n`;
    let text = '';
    const socket = connect(shell.port, '127.0.0.1', () => socket.write(head));
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        text += chunk.toString();
        if (text.includes('begun')) resolve();
      });
    });
    await Promise.all([refused(408, ['GET / HTTP/1.1\r\nHost: a\r\nX: ']), dripped(shell.port)]);
    expect(socket.closed).toBe(false);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write('\0nonsense\r\n\r\n');
    await closed;
    expect(text).not.toContain('400');
  });

  test('clients that reset at any byte do no harm', async () => {
    const request = post('{"message":"x"}').join('');
    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        resetAfter(shell.port, request.slice(0, Math.ceil((request.length * n) / 60))),
      ),
    );
    expect((await exchange(shell.port, ...post('{}'))).status).toBe(200);
  });
});

/** One byte of a body every 50 ms, until the server has enough of it. */
function dripped(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`POST /echo HTTP/1.1\r\nHost: a\r\n${KEY}${JSON_TYPE}Content-Length: 99999\r\n\r\n`);
    });
    const timer = setInterval(() => socket.write('x'), 50);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      expect(text).toContain('408');
      resolve();
    });
  });
}

function resetAfter(port: number, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => socket.resetAndDestroy()));
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}
