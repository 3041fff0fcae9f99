import { once } from 'node:events';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { hearErrors } from '#platform';

let server: Server | null = null;
afterEach(() => void server?.close());

/** A message of PostgreSQL's protocol. */
const message = (type: string, ...parts: readonly (string | Buffer)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};

/** A server that says in one packet that it is ready, and that it ends. */
async function hasty(): Promise<number> {
  const welcome = message('R', Buffer.alloc(4));
  const ready = message('Z', 'I');
  const goodbye = message('E', 'SFATAL\0', 'C57P01\0', 'Mterminating connection\0', '\0');
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([welcome, ready, goodbye])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

it('a server that takes leave as it says that it is ready ends no process', async () => {
  const where = { host: '127.0.0.1', port: await hasty(), user: 'u', password: 'p', database: 'd' };
  const pool = new Pool({ ...where, onConnect: hearErrors });
  pool.on('error', () => undefined);
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => void unheard.push(error);
  process.on('uncaughtException', hear);
  try {
    for (let n = 0; n < 3; n++) {
      const client = await pool.connect().catch(() => null);
      await expect(client?.query('SELECT 1')).rejects.toThrow();
      client?.release(true);
    }
    expect(unheard).toEqual([]);
  } finally {
    process.off('uncaughtException', hear);
    await pool.end();
  }
});
