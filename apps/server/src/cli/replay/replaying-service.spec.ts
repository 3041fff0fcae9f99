import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SystemRandom } from '#platform';
import { HastyClock } from '../../../../../test/support/hasty-clock.js';
import { ReplayingService } from './replaying-service.js';

const never = new AbortController().signal;
let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** What is answered, one after the other. */
async function serviceOf(...answers: readonly RequestListener[]): Promise<ReplayingService> {
  let n = 0;
  server = createServer((request, response) => answers[n++]?.(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new ReplayingService({ clock: new HastyClock(100), random: new SystemRandom(), url, apiKey: 'k' });
}

const says =
  (status: number, body: object | string, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
const lost: RequestListener = (request) => request.socket.resetAndDestroy();
const cutOff: RequestListener = (request, response) => {
  response.writeHead(200, { 'content-length': '100' }).write('{"same_', () => request.socket.destroy());
};

const GET = { method: 'GET', path: '/runs/r' } as const;

describe('a service that commands ask', () => {
  it('is asked again where it is lost, cut off, busy, away, or behind a proxy that has lost it', async () => {
    const service = await serviceOf(
      lost,
      cutOff,
      says(429, { code: 'rate_limited' }, { 'retry-after': '2' }),
      says(503, { code: 'unavailable' }),
      says(502, '<html>'),
      says(409, { code: 'session_busy' }),
      says(200, { n: 1 }),
    );
    expect(await service.ask(GET, never)).toEqual({ kind: 'done', body: { n: 1 } });
  });

  it('is given the time that it asks for', async () => {
    const service = await serviceOf(
      says(429, { code: 'rate_limited' }, { 'retry-after': '30' }),
      says(200, {}),
    );
    const since = performance.now();
    await service.ask(GET, never);
    // 30 s of a clock that is a hundred times as fast; its first wait of its own is 250 ms at most.
    expect(performance.now() - since).toBeGreaterThan(290);
  });

  it('is believed where it refuses', async () => {
    const service = await serviceOf(says(409, { code: 'conflict', detail: 'not yet' }));
    expect(await service.ask(GET, never)).toEqual({
      kind: 'refused',
      status: 409,
      code: 'conflict',
      detail: 'not yet',
    });
  });

  it('is left at once by whoever stops', async () => {
    const stopping = new AbortController();
    const service = await serviceOf(() => stopping.abort(new Error('stopped')));
    await expect(service.ask(GET, stopping.signal)).rejects.toThrow('stopped');
  });

  it('is followed until the run has ended, over streams that break', async () => {
    const running = says(200, { status: 'running', last_event_id: '7' });
    const heard: unknown[] = [];
    const service = await serviceOf(
      running,
      (request, response) => {
        heard.push(request.headers['last-event-id']);
        response.writeHead(200).write(': \n\n', () => request.socket.destroy());
      },
      running,
      says(204, ''),
      says(200, { status: 'completed', last_event_id: '9' }),
    );
    expect(await service.ended('r', never)).toMatchObject({ body: { status: 'completed' } });
    expect(heard).toEqual(['7']);
  });
});
