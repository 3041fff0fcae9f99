/** Ways to write hosts that nobody may reach from within: what they are, and how they are written. */
export const EGRESS_TRICKS: Readonly<Record<string, readonly string[]>> = {
  'this machine': ['127.0.0.1', '127.8.9.10', 'localhost', 'LocalHost', '[::1]'],
  'with parts left out': ['127.1', '127.0.1', '0'],
  'as one number': ['2130706433', '0x7f000001', '017700000001', '0x0000007f000001'],
  'in other bases': ['0x7f.1', '0177.0.0.1', '0x7F.0.0.0x1', '0177.0.0.0x1'],
  unspecified: ['0.0.0.0', '[::]', '0x0'],
  'with a trailing dot': ['127.0.0.1.', 'localhost.', 'metadata.google.internal.'],
  'names below localhost': ['a.localhost', 'x.y.localhost'],
  'IPv4 inside IPv6': [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
  ],
  NAT64: ['[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[64:ff9b::a9fe:a9fe]'],
  '6to4 and Teredo': ['[2002:7f00:1::]', '[2001:0:7f00:1::]'],
  'digits of other alphabets': ['１２７.0.0.1', '①②⑦.⓪.⓪.①', '127。0。0。1', 'ｌocalhost', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ'],
  'percent-encoded': ['%31%32%37.0.0.1', '%6c%6f%63alhost'],
  'behind a name for the user': ['example.com@127.0.0.1', 'example.com:80@127.0.0.1'],
  metadata: [
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '[::ffff:169.254.169.254]',
    '[fd00:ec2::254]',
    '100.100.100.200',
    '168.63.129.16',
    'metadata.google.internal',
    'Metadata',
    'instance-data',
  ],
  'private and link-local': [
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.1.1',
    '[fc00::1]',
    '[fe80::1]',
  ],
  'of nobody': [
    '100.64.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
    '[ff02::1]',
  ],
};

/** All of them, as `what: host`. */
export const egressTricks: readonly (readonly [string, string])[] = Object.entries(EGRESS_TRICKS).flatMap(
  ([what, hosts]) => hosts.map((host) => [what, host] as const),
);
