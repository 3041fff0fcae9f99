import { type AddressInfo, connect } from 'node:net';
import { once } from 'node:events';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sendPieces } from './large-answer.js';

const PIECE = 'x'.repeat(10_000);
const ENDLESS = 1_000_000;

describe('an answer that is made a piece at a time', () => {
  let app: FastifyInstance;
  let port: number;
  let made: number;
  let ended: PromiseWithResolvers<void>;
  let wait: () => Promise<void>;

  async function* pieces(count: number, failsAt = Infinity): AsyncGenerator<string> {
    try {
      for (; made < count; made++) {
        if (made === failsAt) throw new Error('the log is away');
        yield made === 0 ? 'first' : PIECE;
      }
    } finally {
      ended.resolve();
    }
  }

  beforeEach(async () => {
    made = 0;
    ended = Promise.withResolvers();
    wait = () => new Promise((resolve) => setImmediate(resolve));
    app = fastify();
    app.get<{ Querystring: { count: string; failsAt?: string } }>('/', async (request, reply) => {
      const { count, failsAt } = request.query;
      await sendPieces(reply, pieces(Number(count), failsAt === undefined ? Infinity : Number(failsAt)));
      return reply;
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    ({ port } = app.server.address() as AddressInfo);
  });
  afterEach(() => app.close());

  const ask = (query: string) => fetch(`http://127.0.0.1:${port}/?${query}`);

  it('arrives whole, small or large, on a connection that goes on', async () => {
    for (const count of [0, 1, 6, 7, 8, 500]) {
      made = 0;
      const answer = await ask(`count=${count}`);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const text = await answer.text();
      expect(text).toBe(count === 0 ? '' : `first${PIECE.repeat(count - 1)}`);
    }
  });

  it('is a problem like any other where nothing was written yet, and cut off later', async () => {
    expect((await ask('count=10&failsAt=1')).status).toBe(500);
    made = 0;
    await expect(ask('count=1000&failsAt=900').then((answer) => answer.text())).rejects.toThrow();
    await ended.promise;
  });

  it('is made no further than its client reads, and not at all once the client is gone', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.pause();
    socket.write(`GET /?count=${ENDLESS} HTTP/1.1\r\nHost: a\r\n\r\n`);
    // Until what the two kernels keep is full, and nothing more is made.
    for (let before = -1, calm = 0; calm < 50; await wait()) {
      calm = before === made && made > 0 ? calm + 1 : 0;
      before = made;
    }
    expect(made).toBeLessThan(ENDLESS / 100);
    socket.destroy();
    await once(socket, 'close');
    await ended.promise;
    expect(made).toBeLessThan(ENDLESS / 100);
  });
});
