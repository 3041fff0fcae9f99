import { BlockList, isIP } from 'node:net';
import { WrongValue } from '../setting-values.js';

/** Hosts and address ranges that the operator allows besides the public ones. */
export interface EgressAllow {
  /** Lower case, without a trailing dot. */
  readonly hosts: ReadonlySet<string>;
  readonly ranges: BlockList;
}

const WHAT = 'a comma-separated list of hosts or CIDRs (10.1.0.0/16, fd00::/8, tools.internal)';
const HOST = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/;

/** Reads EGRESS_ALLOW; empty text allows nothing more. @throws WrongValue */
export function readEgressAllow(text: string): EgressAllow {
  const hosts = new Set<string>();
  const ranges = new BlockList();
  if (text.trim() === '') return { hosts, ranges };
  for (const part of text.split(',')) {
    const entry = part.trim().toLowerCase().replace(/\.$/, '');
    if (!addRange(ranges, entry)) {
      // A name whose last label is a number would be read as an address by URLs.
      if (!HOST.test(entry) || /(^|\.)\d+$/.test(entry)) throw new WrongValue(WHAT);
      hosts.add(entry);
    }
  }
  return { hosts, ranges };
}

function addRange(ranges: BlockList, entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.replace(/^\[(.*)\]$/, '$1').split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  const bits = version === 4 ? 32 : 128;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : NaN;
  if (!(length <= bits)) throw new WrongValue(WHAT);
  ranges.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
  return true;
}
