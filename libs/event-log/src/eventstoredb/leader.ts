import { EventStoreDBClient, type SingleNodeOptions } from '@eventstore/db-client';
import type { ConnectionTarget, NumericOption } from './connection-string.js';
import type { Endpoint } from './grpc/call-error.js';

/** Where the server is: the only host, or the leader that the cluster names in its gossip, which the client's package asks. */
export async function findServer(target: ConnectionTarget): Promise<Endpoint> {
  const [host] = target.hosts;
  if (target.discovers === 'no') return host!;
  const [, address = '', port = ''] = /^(.*):(\d+)$/.exec(await new Gossip(target).leader()) ?? [];
  return { address, port: Number(port) };
}

class Gossip extends EventStoreDBClient {
  constructor(target: ConnectionTarget) {
    const { tls } = target;
    super(
      // One of two shapes, told apart by their keys; the overloads take no union of them.
      settingsOf(target) as SingleNodeOptions,
      tls === null
        ? { insecure: true }
        : definedOnly({
            insecure: false,
            rootCertificate: tls.ca,
            userKeyFile: tls.key,
            userCertFile: tls.certificate,
          }),
    );
  }

  leader(): Promise<string> {
    return this.resolveUri();
  }
}

function settingsOf(target: ConnectionTarget): object {
  const number = (name: NumericOption): number | undefined => {
    const value = target.options.get(name);
    return value === undefined ? undefined : Number(value);
  };
  const discovery = {
    // Reads must show what an append has told, and appends need the leader anyway.
    nodePreference: 'leader',
    ...definedOnly({
      maxDiscoverAttempts: number('maxDiscoverAttempts'),
      discoveryInterval: number('discoveryInterval'),
      gossipTimeout: number('gossipTimeout'),
    }),
  };
  return target.discovers === 'dns'
    ? { ...discovery, discover: target.hosts[0] }
    : { ...discovery, endpoints: [...target.hosts] };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
const definedOnly = <T extends object>(object: T): Defined<T> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
