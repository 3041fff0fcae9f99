import { spawnSync } from 'node:child_process';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { EsdbServer } from '../support/esdb-server/esdb-server.js';
import { requireServer } from '../support/esdb-server/server-there.js';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

const urlOf = (port: number): string => `esdb://annals:hunter2@127.0.0.1:${port}?tls=false`;

/** Takes connections and says nothing. @returns its port */
async function mute(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Nobody listens there. */
async function closedPort(): Promise<number> {
  const port = await mute();
  closing.pop()?.();
  return port;
}

describe('before the contract is held against a server', () => {
  test('one that is there is waited for', async () => {
    const server = await EsdbServer.start();
    closing.push(() => server.stop());
    await expect(requireServer(server.url)).resolves.toBeUndefined();
  });

  test('one that says nothing is told of in one line without the password', async () => {
    const failure = await requireServer(urlOf(await mute()), 1_000).catch((error: unknown) => error);
    expect((failure as Error).message).toBe('EVENTSTORE_URL: no server after 1 s: it does not answer');
  });

  test('the command ends with 1, and says in one line what a closed port answers, without the password', async () => {
    const env = { ...process.env, EVENTSTORE_URL: urlOf(await closedPort()) };
    const program = 'dist/test/support/esdb-server/require-server.js';
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^EVENTSTORE_URL: no server after 10 s: .*ECONNREFUSED.*\n$/);
    expect(stderr).not.toContain('hunter2');
  });
});
