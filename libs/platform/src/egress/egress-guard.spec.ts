import { describe, expect, test } from '@jest/globals';
import { isPublic } from './addresses.js';
import { readEgressAllow } from './allow-list.js';
import { EgressGuard } from './egress-guard.js';
import { type PinnedAddress, Resolver } from './resolver.js';

class Zone extends Resolver {
  constructor(private readonly records: Readonly<Record<string, readonly string[]>>) {
    super();
  }
  override async resolve(host: string): Promise<readonly PinnedAddress[]> {
    const found = this.records[host];
    if (found === undefined) throw new Error(`ENOTFOUND ${host}`);
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  }
}

const zone = new Zone({
  'example.com': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'rebind.example': ['93.184.215.14', '10.0.0.7'],
  'tools.internal': ['10.1.2.3'],
  localhost: ['127.0.0.1', '::1'],
  'empty.example': [],
});
const guard = (allow = '') => new EgressGuard(readEgressAllow(allow), zone);

describe('addresses', () => {
  test.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.1.1.1',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '100::1',
    '2606:2800::1%1',
    'no address',
    '',
  ])('%s is not public', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  test.each([
    '1.1.1.1',
    '93.184.215.14',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
    '64:ff9b::101:101',
  ])('%s is public', (address) => {
    expect(isPublic(address)).toBe(true);
  });
});

describe('the guard', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '0',
    '127.0.0.1.',
    '[::1]',
    '::1',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::a00:1]',
    '１２７.0.0.1',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'metadata.google.internal',
    'Metadata.Google.Internal.',
    'metadata',
    'rebind.example',
    'tools.internal',
    '169.254.169.254',
    'a b',
    'a/b',
    'user@127.0.0.1',
    '',
    '.',
    '1.2.3.4.5.256',
  ])('refuses %s', async (host) => {
    expect((await guard().check(host)).kind).toBe('refused');
  });

  test('allows public names and pins their addresses', async () => {
    expect(await guard().check('Example.COM.')).toEqual({
      kind: 'allowed',
      host: 'example.com',
      addresses: [
        { address: '93.184.215.14', family: 4 },
        { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 },
      ],
    });
    expect((await guard().checkUrl('https://1.1.1.1:8443/x')).kind).toBe('allowed');
  });

  test('tells names without addresses from forbidden ones', async () => {
    expect((await guard().check('nowhere.example')).kind).toBe('unresolved');
    expect((await guard().check('empty.example')).kind).toBe('unresolved');
  });

  test.each([
    ['tools.internal', 'tools.internal'],
    ['Tools.Internal.', 'tools.internal'],
    ['10.0.0.0/8', 'tools.internal'],
    ['10.0.0.0/8', '[::ffff:10.9.9.9]'],
    ['10.0.0.7', 'rebind.example'],
    ['localhost', 'localhost'],
    ['127.0.0.0/8,::1', '127.0.0.1'],
    ['::1/128', '[::1]'],
    ['fd00::/8', 'fd12::1'],
    ['metadata.google.internal, 10.1.0.0/16', '10.1.255.1'],
  ])('EGRESS_ALLOW=%s allows %s', async (allow, host) => {
    expect((await guard(allow).check(host)).kind).toBe('allowed');
  });

  test('what is allowed allows nothing else', async () => {
    const some = guard('tools.internal,10.1.0.0/16');
    for (const host of ['10.2.0.1', 'x.tools.internal', 'localhost', 'rebind.example']) {
      expect((await some.check(host)).kind).not.toBe('allowed');
    }
  });

  test('a connection looks names up through it', async () => {
    const lookup = (host: string, all: boolean, family = 0) =>
      new Promise<unknown>((resolve) => {
        guard().lookup(host, { all, family }, (error, address, found) =>
          resolve(error?.name ?? [address, found]),
        );
      });
    expect(await lookup('example.com', false)).toEqual(['93.184.215.14', 4]);
    expect(await lookup('example.com', false, 6)).toEqual(['2606:2800:21f:cb07:6820:80da:af6b:8b2c', 6]);
    expect(await lookup('example.com', true)).toEqual([
      expect.arrayContaining([{ address: '93.184.215.14', family: 4 }]),
      undefined,
    ]);
    expect(await lookup('rebind.example', true)).toBe('EgressRefused');
    expect(await lookup('nowhere.example', true)).toBe('EgressRefused');
  });
});
