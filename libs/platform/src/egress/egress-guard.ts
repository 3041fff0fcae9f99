import { type LookupFunction, isIP } from 'node:net';
import { isIn, isPublic } from './addresses.js';
import type { EgressAllow } from './allow-list.js';
import { NetworkNames } from './network-names.js';
import type { PinnedAddress, Resolver } from './resolver.js';

export type EgressVerdict =
  /**
   * Connect to one of these addresses only (protection from DNS rebinding: a second look-up may answer
   * otherwise).
   */
  | { readonly kind: 'allowed'; readonly host: string; readonly addresses: readonly PinnedAddress[] }
  /** `reason` may be shown to the caller. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The name does not resolve now: not forbidden, but not reachable. */
  | { readonly kind: 'unresolved'; readonly reason: string };

/** Thrown by a connection whose address is not allowed. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
}

/** Metadata services of clouds, which hand out credentials, and names of this machine. */
const FORBIDDEN_NAMES = new Set([
  'instance-data',
  'instance-data.ec2.internal',
  'localhost',
  'metadata',
  'metadata.azure.internal',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.tencentyun.com',
]);

/**
 * Protection from server-side request forgery (SSRF): decides which hosts callbacks, MCP servers and database
 * datastores may connect to: public addresses, and what the operator allows. Call `check` before every
 * request, and let the connection resolve names by `lookup`, which only gives addresses that were checked
 * (literal addresses never reach `lookup`).
 */
export class EgressGuard {
  /** For `connect: { lookup }` of undici, and for net.connect. */
  readonly lookup: LookupFunction = (hostname, options, answer) => {
    this.check(hostname).then(
      (verdict) => {
        if (verdict.kind !== 'allowed') return answer(new EgressRefused(verdict.reason), []);
        const wanted = verdict.addresses.filter(({ family }) => isWanted(family, options.family));
        const [first] = wanted;
        if (options.all === true) answer(null, [...wanted]);
        else if (first === undefined) answer(new EgressRefused(`${hostname} has no such address`), []);
        else answer(null, first.address, first.family);
      },
      (error: unknown) => answer(error as NodeJS.ErrnoException, []),
    );
  };

  constructor(
    private readonly allow: EgressAllow,
    private readonly resolver: Resolver = new NetworkNames(),
    private readonly asker = '',
  ) {}

  /** The same guard for one project, so that its slow DNS look-ups delay no other project's. */
  of(project: string): EgressGuard {
    return new EgressGuard(this.allow, this.resolver, project);
  }

  /** The verdict on a URL's host. @throws TypeError where the URL is none */
  checkUrl(url: string | URL): Promise<EgressVerdict> {
    return this.check(new URL(url).hostname);
  }

  /** The verdict on a host name or address, in any spelling. */
  async check(host: string): Promise<EgressVerdict> {
    const name = plainHost(host);
    if (name === null) return { kind: 'refused', reason: 'this is not a host' };
    const version = isIP(name);
    if (version !== 0) return this.judge(name, [{ address: name, family: version === 6 ? 6 : 4 }]);
    const isNamed = this.allow.hosts.has(name);
    if (!isNamed && (FORBIDDEN_NAMES.has(name) || name.endsWith('.localhost'))) {
      return refused(`${name} is not a public host`);
    }
    let addresses: readonly PinnedAddress[];
    try {
      addresses = await this.resolver.resolve(name, this.asker);
    } catch {
      return { kind: 'unresolved', reason: `${name} cannot be resolved` };
    }
    if (addresses.length === 0) return { kind: 'unresolved', reason: `${name} has no address` };
    return isNamed ? { kind: 'allowed', host: name, addresses } : this.judge(name, addresses);
  }

  /** One forbidden address forbids the name: which one a connection takes is chance. */
  private judge(host: string, addresses: readonly PinnedAddress[]): EgressVerdict {
    const isAllowed = addresses.every(({ address }) => isPublic(address) || isIn(this.allow.ranges, address));
    return isAllowed ? { kind: 'allowed', host, addresses } : refused(`${host} is not a public address`);
  }
}

/** The reason names EGRESS_ALLOW, for the operator may have meant the host to be reachable. */
const refused = (reason: string): EgressVerdict => ({
  kind: 'refused',
  reason: `${reason} (the service's EGRESS_ALLOW can let it through)`,
});

/**
 * Lower case, without brackets and trailing dots; numbers in any base and with missing parts (`0x7f.1`) become the address
 * that a resolver would take them for, as the WHATWG URL standard has it. null: no host.
 */
function plainHost(host: string): string | null {
  if (/[\s/?#@\\]/.test(host)) return null;
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) === 6) return bare.toLowerCase();
  const url = `http://${bare}/`;
  if (!URL.canParse(url) || new URL(url).port !== '') return null;
  return new URL(url).hostname.replace(/(?<!\.)\.+$/, '') || null;
}

const isWanted = (family: 4 | 6, asked: number | 'IPv4' | 'IPv6' | undefined): boolean =>
  asked === undefined || asked === 0 || asked === family || asked === `IPv${family}`;
