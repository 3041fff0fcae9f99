import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Ports of the loopback that nothing listens on now, no two of them the same. */
export async function freePorts(count: number): Promise<number[]> {
  // All are open before the first is closed: the system would give it again.
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** A port of the loopback that nothing listens on now. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}
