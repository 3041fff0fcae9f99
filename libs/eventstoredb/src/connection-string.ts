import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { scrub } from '#platform';
import { LogRefused } from '#event-log';

/** Where the server is and how it is spoken to. Holds secrets: never log it as a whole. */
export interface ConnectionTarget {
  readonly hosts: readonly { readonly address: string; readonly port: number }[];
  /** Ask the hosts for the cluster's leader, instead of taking the only host as it is. */
  readonly discovers: 'dns' | 'gossip' | 'no';
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
  readonly tls: { readonly ca?: Buffer; readonly key?: Buffer; readonly certificate?: Buffer } | null;
  readonly options: ReadonlyMap<NumericOption | 'connectionName', string>;
  /** What of it has no effect, for a warning. */
  readonly ignored: readonly string[];
  /** Hosts and ports, for an operator. */
  readonly name: string;
  /** Hides the password, in any of its spellings, and what looks like a secret. */
  readonly scrub: (text: string) => string;
}

export type NumericOption = (typeof NUMERIC)[number];
const NUMERIC = [
  'keepAliveInterval',
  'keepAliveTimeout',
  'maxDiscoverAttempts',
  'discoveryInterval',
  'gossipTimeout',
] as const;
const FILES = ['tlsCAFile', 'userCertFile', 'userKeyFile'] as const;
const KNOWN = [...NUMERIC, ...FILES, 'tls', 'connectionName'];
const DEFAULT_PORT = 2113;
const FORM = 'esdb://user:password@host:2113?tls=true';

/**
 * Reads what the client of EventStoreDB would read. It is done here because the client writes the whole string, password
 * and all, to stderr when an option is unknown to it, and quotes from it in its errors.
 * @throws LogRefused, which quotes nothing of it
 */
export function readConnectionString(text: string): ConnectionTarget {
  const match = /^(esdb|kurrentdb)(\+discover)?:\/\/(?:([^@/]+)@)?([^/?]+)\/?(?:\?(.*))?$/.exec(text.trim());
  if (match === null) throw new LogRefused(`EVENTSTORE_URL must look like ${FORM}`);
  const [, , discover, user, hostList = '', query = ''] = match;
  const hosts = hostList.split(',').map(readHost);
  const { options, ignored } = readOptions(query);
  const credentials = user === undefined ? undefined : readUser(user);
  const secrets = credentials === undefined ? [] : spellings(credentials.password, user!);
  return {
    hosts,
    discovers: discover !== undefined ? 'dns' : hosts.length > 1 ? 'gossip' : 'no',
    credentials,
    tls: options.get('tls') === 'false' ? null : readFiles(options),
    options: options as ConnectionTarget['options'],
    ignored,
    name: hosts.map(({ address, port }) => `${address}:${port}`).join(','),
    scrub: (line) => scrub(secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '***'), line)),
  };
}

function readHost(text: string): { address: string; port: number } {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(text);
  if (match === null) throw new LogRefused('EVENTSTORE_URL has a host that is not host:port');
  return { address: match[1]!, port: match[2] === undefined ? DEFAULT_PORT : Number(match[2]) };
}

function readUser(text: string): { username: string; password: string } {
  const at = text.indexOf(':');
  if (at < 1) throw new LogRefused('EVENTSTORE_URL has a user without a password (user:password@)');
  try {
    return {
      username: decodeURIComponent(text.slice(0, at)),
      password: decodeURIComponent(text.slice(at + 1)),
    };
  } catch {
    throw new LogRefused('EVENTSTORE_URL has a password with a % that does not encode a character');
  }
}

function readOptions(query: string): { options: Map<string, string>; ignored: string[] } {
  const options = new Map<string, string>();
  const ignored: string[] = [];
  for (const pair of query.split('&').filter(Boolean)) {
    const [rawName = '', ...rest] = pair.split('=');
    const name = KNOWN.find(
      (known) => known.toLowerCase() === rawName.trim().toLowerCase().replace(/[_-]/g, ''),
    );
    const value = rest.join('=').trim();
    if (name === undefined) ignored.push(rawName);
    else options.set(name, decodeOption(rawName, value));
  }
  for (const name of NUMERIC) {
    const value = options.get(name);
    if (value !== undefined && !/^-?\d{1,9}$/.test(value))
      throw new LogRefused(`EVENTSTORE_URL: ${name} must be a whole number`);
  }
  const tls = options.get('tls') ?? 'true';
  if (tls !== 'true' && tls !== 'false') throw new LogRefused('EVENTSTORE_URL: tls must be true or false');
  return { options, ignored };
}

function decodeOption(name: string, value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new LogRefused(`EVENTSTORE_URL: ${name} has a % that does not encode a character`);
  }
}

function readFiles(options: ReadonlyMap<string, string>): NonNullable<ConnectionTarget['tls']> {
  const [ca, certificate, key] = FILES.map((name) => readFile(name, options.get(name)));
  if ((certificate === undefined) !== (key === undefined))
    throw new LogRefused('EVENTSTORE_URL: userCertFile and userKeyFile must be given together');
  return { ...(ca && { ca }), ...(certificate && { certificate }), ...(key && { key }) };
}

function readFile(name: string, path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(resolve(path));
  } catch (error) {
    throw new LogRefused(`EVENTSTORE_URL: ${name} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** A short password is found in innocent words, but rather that than shown. */
function spellings(password: string, user: string): string[] {
  const raw = user.slice(user.indexOf(':') + 1);
  const basic = Buffer.from(`${user.slice(0, user.indexOf(':'))}:${password}`).toString('base64');
  return [...new Set([basic, password, raw, encodeURIComponent(password)])].filter((secret) => secret !== '');
}
