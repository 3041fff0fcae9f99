import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const KEEP_ALIVE_MS = 60_000;

/** The client cuts an address at its first colon, so an IPv6 address is given to it without any. */
export function bootstrapAddress(address: string): string {
  const match = /^\[([^\]]+)\]:(\d+)$/.exec(address);
  return match === null ? address : `${match[1]?.replaceAll(':', '~')}:${match[2]}`;
}

/** Knows the addresses that bootstrapAddress has made. `ssl` is false where there is no TLS, whatever its type says. */
export const openSocket: ISocketFactory = ({ host: given, port, ssl, onConnect }) => {
  const host = given.replaceAll('~', ':');
  const name = isIP(host) === 0 ? { servername: host } : {};
  const isSecured: boolean = Boolean(ssl);
  const socket = isSecured
    ? connectTls({ host, port, ...name, ...ssl }, onConnect)
    : connect({ host, port }, onConnect);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return socket;
};
