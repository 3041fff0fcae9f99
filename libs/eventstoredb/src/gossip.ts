import { EventStoreDBClient, type SingleNodeOptions } from '@eventstore/db-client';
import type { ConnectionTarget, NumericOption } from './connection-string.js';

/** The search of the client's package for a cluster's leader. */
export class Gossip extends EventStoreDBClient {
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

  /** Its address and port. */
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
