export interface PinnedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Port: the addresses of a host name. Rejects where there are none. */
export abstract class Resolver {
  /** @param asker who asks (a project); the look-ups of one asker share a concurrency bound */
  abstract resolve(host: string, asker?: string): Promise<readonly PinnedAddress[]>;
}
