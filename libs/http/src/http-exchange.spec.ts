import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Agent } from 'undici';
import {
  CallbackReceiver,
  type Reaction,
  answers,
  hangs,
  resets,
  streamsForEver,
} from '../../../test/support/callback-receiver.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { readSettings, EgressGuard, type PinnedAddress, Resolver } from '#platform';
import { GuardedConnections, PLAIN_CONNECTION } from './guarded-connections.js';
import { HttpExchange, type HttpExchangeOptions } from './http-exchange.js';

let clock: ManualClock;
let receiver: CallbackReceiver;
let agent: Agent;

beforeEach(async () => {
  clock = new ManualClock();
  receiver = await CallbackReceiver.start();
  agent = new Agent(PLAIN_CONNECTION);
});
afterEach(async () => {
  await agent.destroy();
  await receiver.close();
});

const exchangeWith = (options: Partial<HttpExchangeOptions> = {}): HttpExchange =>
  new HttpExchange({ clock, maxBytes: Infinity, ...options });

function requestTo(url: string) {
  return { url: new URL(url), method: 'POST', headers: { 'x-run': 'r' }, body: '{}' } as const;
}

async function send(exchange: HttpExchange, react?: Reaction, headMs?: number): Promise<HttpExchange> {
  if (react !== undefined) receiver.react = react;
  await exchange.send(agent, requestTo(receiver.url), headMs);
  return exchange;
}

describe('an exchange', () => {
  it('brings the head and then the body, and is over at its end', async () => {
    const exchange = await send(exchangeWith(), answers(201, { 'X-Name': 'value' }, 'thanks'));
    expect(exchange.status).toBe(201);
    expect([exchange.header('x-name'), exchange.header('absent')]).toEqual(['value', '']);
    expect(await exchange.text(6)).toBe('thanks');
    expect(await exchange.next()).toBeUndefined();
    await exchange.over;
    expect(exchange.failure).toBeUndefined();
    expect(clock.pending).toEqual([]);
  });

  it('does not follow a redirect', async () => {
    const exchange = await send(exchangeWith(), answers(307, { location: `${receiver.url}/other` }));
    expect([exchange.status, receiver.received.length]).toEqual([307, 1]);
  });

  it('says that what had no connection has not left', async () => {
    const { url } = receiver;
    await receiver.close();
    await expect(exchangeWith().send(agent, requestTo(url))).rejects.toMatchObject({
      kind: 'connection',
      isSent: false,
      cause: { code: 'ECONNREFUSED' },
    });
    receiver = await CallbackReceiver.start();
  });

  it('says that what was broken off had left', async () => {
    await expect(send(exchangeWith(), resets)).rejects.toMatchObject({ kind: 'connection', isSent: true });
  });

  it('tells of failures in the words of who asked', async () => {
    const explain = ({ kind }: { kind: string }): Error => new Error(`it was ${kind}`);
    await expect(send(exchangeWith({ explain }), resets)).rejects.toThrow('it was connection');
  });
});

describe('the limits of an exchange', () => {
  it('end it when the head does not come in time', async () => {
    const sent = send(exchangeWith(), hangs, 5_000);
    await receiver.until(({ length }) => length === 1);
    clock.advance(4_999);
    expect(clock.pending).toEqual([1]);
    clock.advance(1);
    await expect(sent).rejects.toMatchObject({ kind: 'silent', isSent: true, limitMs: 5_000 });
  });

  it('end it when the body pauses for too long, counted from what came last', async () => {
    const exchange = await send(exchangeWith(), (_, response) => {
      response.writeHead(200).write('first');
    });
    expect(String(await exchange.next(1_000))).toBe('first');
    clock.advance(900);
    const rest = exchange.next(1_000);
    clock.advance(999);
    expect(exchange.failure).toBeUndefined();
    clock.advance(1);
    await expect(rest).rejects.toMatchObject({ kind: 'silent', limitMs: 1_000 });
  });

  it('do not count the time in which the reader is busy', async () => {
    const exchange = await send(exchangeWith(), answers(200, {}, 'all'), 1_000);
    clock.advance(60_000);
    expect(await exchange.text(3)).toBe('all');
  });

  it('end it when the body is too large', async () => {
    const exchange = await send(exchangeWith({ maxBytes: 100 }), streamsForEver);
    const read = async (): Promise<void> => {
      while ((await exchange.next()) !== undefined);
    };
    await expect(read()).rejects.toMatchObject({ kind: 'too_large' });
  });

  it('end it when a text is too large', async () => {
    const exchange = await send(exchangeWith(), answers(200, {}, 'thanks'));
    await expect(exchange.text(5)).rejects.toMatchObject({ kind: 'too_large' });
  });

  it('have the socket wait for a slow reader', async () => {
    let written = 0;
    const total = 64 * 1024 * 1024;
    const whenStuck = Promise.withResolvers<void>();
    const exchange = await send(exchangeWith(), (_, response) => {
      response.writeHead(200);
      const piece = Buffer.alloc(64 * 1024, 'x');
      const write = (): void => {
        while (written < total && !response.destroyed) {
          written += piece.length;
          if (!response.write(piece)) return whenStuck.resolve();
        }
        response.end();
      };
      response.on('drain', write).on('error', () => undefined);
      write();
    });
    await whenStuck.promise;
    expect(written).toBeLessThan(total);
    let read = 0;
    for (let part = await exchange.next(); part !== undefined; part = await exchange.next()) {
      expect(part.length).toBeLessThan(4 * 1024 * 1024);
      read += part.length;
    }
    expect(read).toBe(total);
  });
});

describe('an exchange that nobody wants any more', () => {
  it('is not sent when its signal was aborted before', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(send(exchangeWith({ signal }))).rejects.toMatchObject({
      kind: 'aborted',
      isSent: false,
      cause: { message: 'enough' },
    });
    expect(receiver.received).toEqual([]);
  });

  it('ends with its signal, and closes its connection', async () => {
    const stop = new AbortController();
    const closed = Promise.withResolvers<void>();
    const sent = send(exchangeWith({ signal: stop.signal }), (_, response) => {
      response.once('close', closed.resolve);
    });
    await receiver.until(({ length }) => length === 1);
    stop.abort(new Error('enough'));
    await expect(sent).rejects.toMatchObject({ kind: 'aborted', isSent: true });
    await closed.promise;
  });

  it('leaves its connection to the next one when the rest of its answer comes soon', async () => {
    const ports: (number | undefined)[] = [];
    receiver.react = (_, response) => {
      ports.push(response.socket?.remotePort);
      response.writeHead(200).end('thanks');
    };
    const one = new Agent({ ...PLAIN_CONNECTION, connections: 1 });
    for (let n = 0; n < 2; n++) {
      const exchange = exchangeWith();
      await exchange.send(one, requestTo(receiver.url));
      exchange.release();
      expect(exchange.isLeaving).toBe(true);
      await exchange.over;
    }
    await one.destroy();
    expect(ports[1]).toBe(ports[0]);
  });

  it('is cut off when the rest of its answer does not come soon', async () => {
    const exchange = await send(exchangeWith(), streamsForEver);
    exchange.release();
    clock.advance(1_000);
    await exchange.over;
    expect(exchange.failure).toMatchObject({ kind: 'aborted' });
  });
});

describe('connections to where callers say', () => {
  class Names extends Resolver {
    asked = 0;
    constructor(public address: string | null) {
      super();
    }
    override resolve(): Promise<readonly PinnedAddress[]> {
      this.asked += 1;
      return Promise.resolve(this.address === null ? [] : [{ address: this.address, family: 4 }]);
    }
  }
  const { egressAllow } = readSettings({ EGRESS_ALLOW: '127.0.0.1' });
  let names: Names;
  let connections: GuardedConnections;
  const ask = async (url: string): Promise<number> => {
    const exchange = exchangeWith();
    await connections.send(exchange, requestTo(url));
    await exchange.text(100);
    return exchange.status;
  };
  beforeEach(() => {
    names = new Names('127.0.0.1');
    const egress = new EgressGuard(egressAllow, names);
    connections = new GuardedConnections({ egress, clock, connectMs: 5_000, checkHoldsMs: 1_000 });
  });
  afterEach(() => connections.destroy());

  it('are not made to where the guard does not let them', async () => {
    const refusal = { kind: 'forbidden', isSent: false };
    await expect(ask('http://169.254.169.254/')).rejects.toMatchObject(refusal);
    names.address = '10.0.0.1';
    await expect(ask('http://inside.example.org/')).rejects.toMatchObject({
      ...refusal,
      message: expect.stringMatching(/^inside.example.org is not a public address/),
    });
    names.address = null;
    await expect(ask('http://nowhere.example.org/')).rejects.toMatchObject({ kind: 'unresolved' });
  });

  it('are not used any more when their host has become forbidden', async () => {
    const url = `http://moving.example.org:${receiver.port}/`;
    expect(await ask(url)).toBe(204);
    names.address = '10.0.0.1';
    clock.advance(1_000);
    await expect(ask(url)).rejects.toMatchObject({ kind: 'forbidden', isSent: false });
    expect(receiver.received).toHaveLength(1);
  });

  it('are looked at again at once after a refusal', async () => {
    names.address = '10.0.0.1';
    const url = `http://moving.example.org:${receiver.port}/`;
    await expect(ask(url)).rejects.toMatchObject({ kind: 'forbidden' });
    names.address = '127.0.0.1';
    expect(await ask(url)).toBe(204);
  });

  it('do not have an exchange wait for a name longer than it is wanted', async () => {
    const stop = new AbortController();
    names.resolve = () => new Promise(() => undefined);
    const exchange = exchangeWith({ signal: stop.signal });
    const sent = connections.send(exchange, requestTo('http://slow.example.org/'));
    stop.abort();
    await expect(sent).rejects.toMatchObject({ kind: 'aborted', isSent: false });
  });
});
