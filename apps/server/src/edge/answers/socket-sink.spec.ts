import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../../../test/support/manual-clock.js';
import { OpenStreams, SWEEP_MS, SocketSink } from './socket-sink.js';

/** Of one byte a character and of several, short, empty, and longer than a socket's buffer. */
const PIECES = ['one', '', 'zwölf 🦢', 'x'.repeat(3_000_000), '\r\n0\r\n\r\n', 'last'];
const ALL = PIECES.join('');

describe('an SSE answer on a socket', () => {
  let server: Server;
  let port: number;
  beforeEach(async () => {
    server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const sink = new SocketSink(response, new ManualClock());
      void (async () => {
        for (const piece of PIECES.slice(0, -1)) await sink.write(piece);
        sink.end(PIECES.at(-1)!);
      })();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => void server.close());

  /** The whole answer to what is written to a socket, headers included. */
  const answerTo = async (request: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    socket.write(request);
    return text(socket);
  };

  it('arrives as it was written, on a connection that goes on', async () => {
    for (let n = 0; n < 3; n += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}`);
      expect(answer.headers.get('transfer-encoding')).toBe('chunked');
      expect((await answer.text()) === ALL).toBe(true);
    }
  });

  it('is not chunked for HTTP/1.0', async () => {
    const answer = await answerTo('GET / HTTP/1.0\r\n\r\n');
    const [head = ''] = answer.split('\r\n\r\n', 1);
    expect(head).not.toMatch(/transfer-encoding/i);
    expect(answer.slice(head.length + 4) === ALL).toBe(true);
  });

  it('waits for the answers before it where requests are pipelined', async () => {
    const get = 'GET / HTTP/1.1\r\nHost: a\r\n';
    const answer = await answerTo(`${get}\r\n${get}\r\n${get}Connection: close\r\n\r\n`);
    expect(answer.split('HTTP/1.1 200')).toHaveLength(4);
    expect(answer.split('4\r\nlast\r\n0\r\n\r\n')).toHaveLength(4);
  });

  it('ends with its client', async () => {
    const sinks: SocketSink[] = [];
    server.prependListener(
      'request',
      (_, response) => void sinks.push(new SocketSink(response, new ManualClock())),
    );
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    const [sink] = sinks;
    if (!sink!.gone.aborted) await once(sink!.gone, 'abort');
    await sink!.write('nobody reads this');
  });
});

describe('quiet streams', () => {
  const clock = new ManualClock();
  const streams = new OpenStreams(clock);
  const sinks: SocketSink[] = [];
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    sinks.push(streams.add(response));
    sinks.at(-1)!.begin();
  });
  beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')));
  afterAll(async () => {
    await streams.hangUp();
    server.close();
  });

  /** A stream that is open, and what has come of it. */
  const opened = async (): Promise<{ sink: SocketSink; next: () => Promise<string> }> => {
    const { port } = server.address() as AddressInfo;
    const { body } = await fetch(`http://127.0.0.1:${port}`);
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    return { sink: sinks.at(-1)!, next: async () => (await reader.read()).value ?? '' };
  };
  it('have a comment 10 s after their last byte, whenever that was, and none before', async () => {
    const [one, other] = [await opened(), await opened()];
    const say = async ({ sink, next }: typeof one, text: string): Promise<void> => {
      await sink.write(text);
      expect(await next()).toBe(text);
    };
    for (const ms of [3_700, 9_999, 1, 12, 9_998]) {
      clock.advance(ms);
      await say(one, `data: after ${ms} ms\n\n`);
    }
    // This one has had nothing since its head.
    for (let beats = 0; beats < 2; beats += 1) expect(await other.next()).toBe(':\n\n');
    for (let beats = 0; beats < 3; beats += 1) {
      clock.advance(10_000 + SWEEP_MS);
      expect([await one.next(), await other.next()]).toEqual([':\n\n', ':\n\n']);
    }
  });
});
