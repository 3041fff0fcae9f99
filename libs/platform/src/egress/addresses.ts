import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/**
 * IPv4 ranges that are no public unicast addresses: RFC 6890, the IANA special-purpose registry, multicast.
 */
const RESERVED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // link-local, and the metadata service of most clouds
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's host agent, in a public range
  '168.63.129.16/32',
];

/**
 * Reserved within 2000::/3, outside of which no IPv6 address is public. Teredo and 6to4 embed an arbitrary
 * IPv4 address.
 */
const RESERVED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const reserved = new BlockList();
for (const range of RESERVED_V4) addRange(reserved, range, 'ipv4');
for (const range of RESERVED_V6) addRange(reserved, range, 'ipv6');
const global6 = new BlockList();
addRange(global6, '2000::/3', 'ipv6');

/** Whether an address (no host name) is public. An IPv4 address inside an IPv6 one counts as itself. */
export function isPublic(address: string): boolean {
  const plain = unwrap(address);
  if (isIPv4(plain)) return !reserved.check(plain, 'ipv4');
  return (
    isIPv6(plain) && !plain.includes('%') && global6.check(plain, 'ipv6') && !reserved.check(plain, 'ipv6')
  );
}

/** Whether a range of the list holds the address, or the IPv4 address inside it. */
export function isIn(ranges: BlockList, address: string): boolean {
  const plain = unwrap(address);
  return !plain.includes('%') && ranges.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
}

/** The IPv4 address inside an IPv4-mapped (::ffff:0:0/96) or NAT64 (64:ff9b::/96, RFC 6052) one, otherwise itself. */
export function unwrap(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  const head = groups.slice(0, 6).join(':');
  if (head !== '0:0:0:0:0:ffff' && head !== '64:ff9b:0:0:0:0') return address;
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address, hex without leading zeros. */
function groupsOf(address: string): string[] {
  // The URL parser brings every spelling, also one that ends in an IPv4 address, into one form.
  const canonical = new URL(`http://[${address.replace(/%[^]*$/, '')}]`).hostname.slice(1, -1);
  const [left = '', right] = canonical.split('::');
  const before = left === '' ? [] : left.split(':');
  const after = right === undefined || right === '' ? [] : right.split(':');
  const gap = right === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(gap).fill('0'), ...after];
}

function addRange(list: BlockList, range: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', prefix] = range.split('/');
  list.addSubnet(address, Number(prefix), family);
}
