import { type AddressInfo, type Socket, connect } from 'node:net';
import { once } from 'node:events';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../../../test/support/manual-clock.js';
import { AnswerRoom } from './answer-room.js';
import { LargeAnswers, allowedWaitMs } from './large-answer.js';

const PIECE = 'x'.repeat(10_000);
const ENDLESS = 1_000_000;
const MB = 1024 * 1024;

describe('an answer that is made a piece at a time', () => {
  let app: FastifyInstance;
  let port: number;
  let made: number;
  let ended: PromiseWithResolvers<void>;
  let clock: ManualClock;
  let room: AnswerRoom;
  const sockets: Socket[] = [];

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
    clock = new ManualClock();
    room = new AnswerRoom(4 * MB, clock);
    const answers = new LargeAnswers(room, clock);
    app = fastify();
    app.get<{ Querystring: { count: string; failsAt?: string } }>('/', async (request, reply) => {
      const { count, failsAt } = request.query;
      const made = pieces(Number(count), failsAt === undefined ? Infinity : Number(failsAt));
      await answers.send(reply, 'a', () => made);
      return reply;
    });
    app.get<{ Querystring: { count: string } }>('/lines', async (request, reply) => {
      await answers.send(
        reply,
        'a',
        () => pieces(Number(request.query.count), Infinity),
        'application/jsonl',
      );
      return reply;
    });
    app.get('/long', async (_request, reply) => {
      await answers.send(reply, 'a', async function* (weigh) {
        await weigh(MB);
        yield 'ä€𝄞'.repeat(100_000);
        yield 'end';
      });
      return reply;
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    ({ port } = app.server.address() as AddressInfo);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await app.close();
  });

  const ask = (query: string) => fetch(`http://127.0.0.1:${port}/${query}`);

  const turn = () => new Promise((resolve) => setImmediate(resolve));

  /** A client that asks and reads nothing; resolves when what the two kernels keep is full, and nothing more is made. */
  async function deafClient(): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.pause();
    socket.write(`GET /?count=${ENDLESS} HTTP/1.1\r\nHost: a\r\n\r\n`);
    for (let before = -1, calm = 0; calm < 50; await turn()) {
      calm = before === made && made > 0 ? calm + 1 : 0;
      before = made;
    }
    return socket;
  }

  it('arrives whole, small or large, on a connection that goes on', async () => {
    for (const count of [0, 1, 6, 7, 8, 500]) {
      made = 0;
      const answer = await ask(`?count=${count}`);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const text = await answer.text();
      expect(text).toBe(count === 0 ? '' : `first${PIECE.repeat(count - 1)}`);
    }
    expect(await (await ask('long')).text()).toBe(`${'ä€𝄞'.repeat(100_000)}end`);
    expect(room.inUse).toBe(0);
  });

  it('has the type that it is given, small or large', async () => {
    for (const count of [0, 1, 500]) {
      made = 0;
      const answer = await ask(`lines?count=${count}`);
      expect(answer.headers.get('content-type')).toBe('application/jsonl');
      await answer.text();
    }
  });

  it('is a problem like any other where nothing was written yet, and cut off later', async () => {
    expect((await ask('?count=10&failsAt=1')).status).toBe(500);
    made = 0;
    await expect(ask('?count=1000&failsAt=900').then((answer) => answer.text())).rejects.toThrow();
    await ended.promise;
    expect(room.inUse).toBe(0);
  });

  it('is made no further than its client reads, and not at all once the client is gone', async () => {
    const socket = await deafClient();
    expect(made).toBeLessThan(ENDLESS / 100);
    expect(room.inUse).toBe(MB);
    socket.destroy();
    await once(socket, 'close');
    await ended.promise;
    expect(made).toBeLessThan(ENDLESS / 100);
    while (room.inUse > 0) await turn();
  });

  it('is cut off where its client takes nothing for half a minute', async () => {
    await deafClient();
    clock.advance(29_000);
    await turn();
    expect(room.inUse).toBe(MB);
    clock.advance(1_000);
    await ended.promise;
    while (room.inUse > 0) await turn();
  });

  it('may be read slowly, but not as slowly where others wait for what it holds', () => {
    expect([0, MB, 100 * MB].map((taken) => allowedWaitMs(taken, false))).toEqual([
      30_000, 158_000, 12_830_000,
    ]);
    expect([0, MB, 100 * MB].map((taken) => allowedWaitMs(taken, true))).toEqual([30_000, 46_000, 1_630_000]);
  });
});
