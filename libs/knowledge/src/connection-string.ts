import {
  type ConnectionParameters,
  ConnectionParameterRefused,
  readParameters,
} from './connection-parameters.js';

export type DatabaseKind = 'postgres' | 'mysql';

/** Where a caller's database is, and as whom we come. Holds a password: never log it. */
export interface Connection extends ConnectionParameters {
  readonly kind: DatabaseKind;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

const KINDS: Readonly<Record<string, DatabaseKind>> = {
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
  'mysql:': 'mysql',
  'mariadb:': 'mysql',
};
const PORTS = { postgres: 5432, mysql: 3306 } as const;

/** What is wrong with a connection string, or null. Never holds any of it. */
export function connectionFault(text: string): string | null {
  try {
    readConnection(text);
    return null;
  } catch (error) {
    if (error instanceof ConnectionStringRefused || error instanceof ConnectionParameterRefused)
      return error.message;
    throw error;
  }
}

class ConnectionStringRefused extends Error {
  override readonly name = 'ConnectionStringRefused';
}

/** @throws ConnectionStringRefused, ConnectionParameterRefused */
export function readConnection(text: string): Connection {
  const url = parsed(text);
  const kind = KINDS[url.protocol];
  if (kind === undefined)
    throw new ConnectionStringRefused('must begin with postgres://, mysql:// or mariadb://');
  const user = plain(url.username);
  const connection: Connection = {
    kind,
    host: hostOf(url),
    port: url.port === '' ? PORTS[kind] : Number(url.port),
    user,
    password: plain(url.password),
    database: plain(url.pathname.slice(1)) || (kind === 'postgres' ? user : ''),
    ...readParameters(url.searchParams),
  };
  if (url.hash !== '')
    throw new ConnectionStringRefused('must be percent-encoded: # is %23, / is %2F, ? is %3F');
  if (user === '') throw new ConnectionStringRefused('must name a user');
  if (connection.port === 0) throw new ConnectionStringRefused('must have a port from 1 to 65535');
  return connection;
}

function parsed(text: string): URL {
  // eslint-disable-next-line no-control-regex
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /[\u0000-\u0020]/.test(text) || !URL.canParse(text))
    throw new ConnectionStringRefused(
      'must be a URL like postgres://user:password@host:5432/database, percent-encoded: # is %23, / is %2F, @ is %40',
    );
  return new URL(text);
}

/** A name or an address; several, or a socket's path, are none. */
function hostOf({ hostname }: URL): string {
  if (hostname === '') throw new ConnectionStringRefused('must name a host');
  const address = /^\[(.*)\]$/.exec(hostname)?.[1];
  if (address !== undefined) return address;
  const host = plain(hostname);
  if (!/^[\p{L}\p{N}._-]+$/u.test(host))
    throw new ConnectionStringRefused('must name one host, not a list or a path');
  return host;
}

function plain(encoded: string): string {
  try {
    const text = decodeURIComponent(encoded);
    if (!text.includes('\0')) return text;
  } catch {
    // Said below.
  }
  throw new ConnectionStringRefused('must be percent-encoded as UTF-8');
}
