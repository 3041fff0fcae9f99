import { hash, hkdfSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  Directory,
  type Note,
  TreeEdge,
  checkpointText,
  consistencyProof,
  cosign,
  directoryEntry,
  eventEntry,
  formatKey,
  formatNote,
  formatProof,
  fromBase64,
  fromHex,
  headEntry,
  inclusionProof,
  isConsistent,
  judge,
  leafHash,
  linkOf,
  noteKey,
  parseCheckpoint,
  parseKey,
  parseNote,
  parsePolicy,
  parseProof,
  parseReceipt,
  receiptText,
  rootOfInclusion,
  rootOfPath,
  sha256,
  signText,
  signingKey,
  tagOf,
  toBase64,
  toHex,
  u64,
  utf8,
} from './index.js';

/** The vectors of docs/proof.md. */
const ORIGIN = 'example.com/annals';
const VKEY = 'example.com/annals+f95b6637+AWY+I0+8fZI9dQgXTBhJLq+fHIjl7pmaLQZlRbal7Qbc';
const [HOUSE, ONE, OTHER] = ['proof-log', 'session-ses_example', 'session-ses_other'] as const;

/** Stream, revision, hash and link of each event, in the order of the log; a directory stands behind the fifth and the ninth. */
const EVENTS: readonly (readonly [stream: string, revision: number, hash: string, link: string])[] = [
  [
    HOUSE,
    0,
    '9cb3b34c6a4cf3a749c15484b12b4f91ff27bb205f900f67def6111bb4d3908e',
    '7632f14c8f1f45c177701983692774cd38ab6bb1cf710dc787e0276dbc4b57ab',
  ],
  [
    ONE,
    0,
    '96eae1d5cdc26a37800554f585ce48523769ba52c066a88ea3476b2abfb2cc14',
    'cabbb7c5127bb478ad59380db9a25d47e4228ecbe71f84c0bf2efa3bb1ff267e',
  ],
  [
    ONE,
    1,
    '8de8472038bae2d1299c5d089e973c6d3ef8d21c206a6e0cccfd38c56ff02a45',
    '5e1f7a2e4ad4dda9b3f0d0c7bb55f0711474bba6de14019029bd8cea6200f0e5',
  ],
  [
    ONE,
    2,
    'e9f205a8364a10d6d443e12acaf67912731c7a3c6aa0c05fcaeb35375edf95e9',
    '6093346dba17bdb4f4b79f6a7f54020a96f3b3afbc303abdc30205fc610fe378',
  ],
  [
    OTHER,
    0,
    'a60ddaeda3867641e75f1184583a46efd434b90ba43748a0aab50681d2d7e7cc',
    'af9eefeb038e55165c1530af44d99f3fb0decf1d238a9aae8d3960f619be875f',
  ],
  [
    HOUSE,
    1,
    'c60ef8782b8c9764eecaeafb042006ec14c958572e1b4e01f790b00562a1e9f0',
    '61c3e9de210b9e9ff07deeaebbe6f004349c36d4f7653fd2702d73cd1b602bf9',
  ],
  [
    ONE,
    3,
    '059d206a325d5dc296d1ab29aa3d05aa997e9ae98bbca8a4b224dd04c7626cdd',
    '13a42aeef62fe083fa8365aeb3259508c766c6ff4291a8df50cc97ac3b38a858',
  ],
  [
    ONE,
    4,
    '65c34dfc10b5c3bfe36936bcd3d132a46931762230c694abb14c5f08c6276626',
    'b5d96ee429423ef227cc988c09c644092136fc565cf62ec71a537a7643b08ac6',
  ],
  [
    ONE,
    5,
    'db359d047b1d2ebe3858e07a447130bde328d7fb8662a55658d345e54f3c785f',
    'c2b2c5e19f6dd6320ef2c29396ee0ed416cbf71a4c706aa3d8b64a6eacb671a2',
  ],
];
const SEALED_AFTER = [5, 9];
const DIRECTORIES = [
  '831b07118df338c3335057fcec15556cc2b7e9f20f94d9d94d006de08ec79bbe',
  '25bad593a61aa181fdf7d2b7b4d2e4534809c39b04c50f398ac685dc6a4fd260',
];
const CONSISTENCY = [
  'MsuhbPsmRRghuQYqemY2JALH5FoB2wh280qz0awHDGc=',
  '3IdCXyPuGtfyhcDAp/hucAzrS6iDZ5oE208X7bZxjjg=',
  'y9PNw08fUH7C3a/cvCBtiSUjwKToIWyqcmc8FEzUpVQ=',
  'yA1zPGfrs66TOIbmap1iry3z/0pUlsB26bCE1q21uvk=',
];
const CHECKPOINT = `example.com/annals
11
u9AJiCv7OjF60yiQoVIPg/zsDwNBEEDoCEbklK1tKoQ=
`;
const SIGNATURE =
  '— example.com/annals +VtmN9cmNhO+yT1BRGImmVAizPIma8wFx34hmHA1LXvEgXznRshnN7/QMVX+CQlPb+7/wa55WzRhlrrQ/tPBMGLlVQ4=\n';
const COSIGNATURES =
  '— witness.example/w GQgW2gAAAABoTuHkzLOq9cJ05TEQiXMlrCV65yOdjwBs6OO7yk+VSfYcB8FHGWrjvE1br4/NwabVMdIFM5TRcDxQOd3M6kircygaCw==\n' +
  '— audit.example/monitor vOY4gAAAAABoTuHkoTcc/tzjmCR7QUSIqmr4AjXG3+pXiRnrVHdz+hCZ9VdaO7nL+krD+L+UAN9RHXWSMHEC0iEf2T2UJ6zGtwntDQ==\n';
const POLICY = `log ${VKEY}
witness w witness.example/w+190816da+BGa+fjMsekUzMr2dCn99sFX1xe8aBq2mbZizn7aBDEc6
witness m audit.example/monitor+bce63880+BAtROtm0kkAVygkC7QeQRNOsXb7CMG8GlIwQ2o62458t
group both all w m
quorum both
`;
const RECEIPT =
  'YW5uYWxzIHJlY2VpcHQgdjEKZXhhbXBsZS5jb20vYW5uYWxzCnNlc3Npb24tc2VzX2V4YW1wbGUKcnVuX3Nlc19leGFtcGxlXzEKNQpkYjM1OWQwNDdiMWQyZWJlMzg1OGUwN2E0NDcxMzBiZGUzMjhkN2ZiODY2MmE1NTY1OGQzNDVlNTRmM2M3ODVmCjE3NTAwMDAwMTIwMDAKCuKAlCBleGFtcGxlLmNvbS9hbm5hbHMgK1Z0bU4rdndHeXh1RnY3MHl2RWFqSTJkTTFDdjl0c203dmRudWVYNXNRb1lDSXpmTU05OEtHS1Z3b0kwNWZFajZGVWpiVnJFRGd5RmVWSGozYWZSRldwWWF3Yz0K';
const OLDER_PROOF = `c2sp.org/tlog-proof@v1
index 5
SESQsP8XM0vqstzbcmcC6Pk3L3aRdwC/F0NpnKvnchI=
3IdCXyPuGtfyhcDAp/hucAzrS6iDZ5oE208X7bZxjjg=
y9PNw08fUH7C3a/cvCBtiSUjwKToIWyqcmc8FEzUpVQ=
yA1zPGfrs66TOIbmap1iry3z/0pUlsB26bCE1q21uvk=

`;
const NEWEST_PROOF = `c2sp.org/tlog-proof@v1
index 10
v3RSUfTzniQqlRJBM/2o76wOSLOzPg0hPFViEVQBumE=
OuUwt9Z+7rnyVn3XOBV1ZSZOAAoymd05sMAtRqUfLaM=

`;
const PATHS = [
  'f2740f222d6654ec754ef5518b94326dc6bf38cbfda67968aed6cb420866ab89',
  'da9fd5b962642866abd2e98f0a3a516dadbaff262aa19423a55ee3de06924008',
].map((first) => [first, '0'.repeat(64), 'c1d4a5e91a0001f292ff977221e669f57e55e7603ed960101d5e140af0242ad0']);

const hex = (text: string): Uint8Array => fromHex(text)!;

/** The tree of all leaves, its nodes, and the directory at each seal. */
function sealed() {
  const nodes = new Map<string, Uint8Array>();
  const tree = new TreeEdge(0, [], (level, index, node) => nodes.set(`${level}/${index}`, node));
  const directory = new Directory();
  const links = new Map<string, Uint8Array>();
  const seals: { size: number; root: Uint8Array; directory: string; path: string[] }[] = [];
  for (const [at, [stream, revision, hash, link]] of EVENTS.entries()) {
    const tag = tagOf(stream);
    const next = linkOf(links.get(stream) ?? tag, hex(hash));
    expect(toHex(next)).toBe(link);
    links.set(stream, next);
    tree.push(leafHash(eventEntry(tag, revision, hex(hash))));
    directory.set({ tag, revision, link: next });
    if (!SEALED_AFTER.includes(at + 1)) continue;
    tree.push(leafHash(directoryEntry(directory.root)));
    const path = directory.path(tagOf(ONE))!.map(toHex);
    seals.push({ size: tree.size, root: tree.root, directory: toHex(directory.root), path });
  }
  return { seals, node: (level: number, index: number) => nodes.get(`${level}/${index}`)! };
}

const KEY = signingKey(
  new Uint8Array(hkdfSync('sha256', Buffer.alloc(32, 5), 'annals', `annals/log-key/v1/${ORIGIN}/1`, 32)),
);
const witness = (byte: number) => signingKey(new Uint8Array(32).fill(byte));

describe('the vectors', () => {
  test('of keys', () => {
    expect(formatKey(noteKey(ORIGIN, 1, KEY.publicKey))).toBe(VKEY);
    expect(formatKey(parseKey(VKEY)!)).toBe(VKEY);
  });

  test('of leaves and directories', () => {
    const [, [stream, revision, hash] = [ONE, 0, '']] = EVENTS;
    expect(toHex(leafHash(eventEntry(tagOf(stream), revision, hex(hash))))).toBe(
      '52038a9b974cd583cb63004c0f0efae7ee1095c1f36731062ca063725e0080ad',
    );
    const [, , , last] = EVENTS[8]!;
    expect(toHex(leafHash(headEntry(tagOf(ONE), 5, hex(last))))).toBe(
      '98ec65e75ed5c99b6ba9a528c058e9b4e470002f10a2698b513978c8c7d05134',
    );
    const { seals } = sealed();
    expect(seals.map(({ directory }) => directory)).toEqual(DIRECTORIES);
    expect(seals.map(({ path }) => path)).toEqual(PATHS);
    for (const [at, revision] of [2, 5].entries()) {
      const [, , , link] = EVENTS.find(([stream, of]) => stream === ONE && of === revision)!;
      const root = rootOfPath({ tag: tagOf(ONE), revision, link: hex(link) }, PATHS[at]!.map(hex));
      expect(toHex(root!)).toBe(DIRECTORIES[at]);
    }
  });

  test('of checkpoints and cosignatures', () => {
    const { seals } = sealed();
    const [old, now] = seals as [(typeof seals)[0], (typeof seals)[0]];
    expect([old.size, now.size]).toEqual([6, 11]);
    expect(checkpointText({ origin: ORIGIN, ...now })).toBe(CHECKPOINT);
    const signature = signText(CHECKPOINT, ORIGIN, KEY);
    const note: Note = {
      text: CHECKPOINT,
      signatures: [
        signature,
        cosign(CHECKPOINT, 'witness.example/w', witness(11), 1_750_000_100),
        cosign(CHECKPOINT, 'audit.example/monitor', witness(12), 1_750_000_100),
      ],
    };
    expect(formatNote(note)).toBe(`${CHECKPOINT}\n${SIGNATURE}${COSIGNATURES}`);
    const read = parseNote(formatNote(note))!;
    expect(read).toEqual(note);
    expect(parseCheckpoint(read.text)).toEqual({ origin: ORIGIN, size: 11, root: now.root });
    const { logs, witnesses } = parsePolicy(POLICY);
    expect(logs.map(({ key }) => judge(read, key))).toEqual([{ is: 'good', time: 0 }]);
    expect(witnesses.map(({ key }) => judge(read, key)?.valueOf())).toEqual(
      Array.from({ length: 2 }, () => ({ is: 'good', time: 1_750_000_100 })),
    );
  });

  test('of proofs', () => {
    const { seals, node } = sealed();
    const [old, now] = seals as [(typeof seals)[0], (typeof seals)[0]];
    const proof = consistencyProof(node, 6, 11);
    expect(proof.map(toBase64)).toEqual(CONSISTENCY);
    expect(isConsistent(old, now, proof)).toBe(true);
    for (const [index, text, directory] of [
      [5, OLDER_PROOF, DIRECTORIES[0]],
      [10, NEWEST_PROOF, DIRECTORIES[1]],
    ] as const) {
      const path = inclusionProof(node, index, 11);
      expect(formatProof({ index, path, note: CHECKPOINT })).toBe(text + CHECKPOINT);
      expect(parseProof(text + CHECKPOINT)).toEqual({ index, path, note: CHECKPOINT });
      const leaf = leafHash(directoryEntry(hex(directory!)));
      expect(rootOfInclusion(leaf, { index, size: 11 }, path)).toEqual(now.root);
    }
  });

  test('of a receipt', () => {
    const note = parseNote(Buffer.from(RECEIPT, 'base64').toString())!;
    const receipt = parseReceipt(note.text)!;
    expect(receipt).toMatchObject({ origin: ORIGIN, stream: ONE, run: 'run_ses_example_1', revision: 5 });
    expect([toHex(receipt.hash), receipt.time]).toEqual([EVENTS[8]![2], 1_750_000_012_000]);
    const made = { text: receiptText(receipt), signatures: [signText(receiptText(receipt), ORIGIN, KEY)] };
    expect(toBase64(utf8(formatNote(made)))).toBe(RECEIPT);
    expect(toBase64(fromBase64(RECEIPT)!)).toBe(RECEIPT);
  });

  test('of large trees and their tiles', () => {
    const roots = new Map<number, string>();
    const levels: Uint8Array[][] = [[], [], []];
    const tree = new TreeEdge(0, [], (level, _, node) => {
      if (level % 8 === 0) levels[level / 8]!.push(node);
    });
    for (let i = 0; i < 70_000; i++) {
      tree.push(leafHash(eventEntry(sha256(utf8('s')), i, sha256(u64(i)))));
      if ([3, 257, 70_000].includes(tree.size)) roots.set(tree.size, toHex(tree.root));
    }
    expect(Object.fromEntries(roots)).toEqual({
      3: '4f4c2963b4b0aa9ee052d800fdde96b4de8191f4d3179d64ae93a68d60419061',
      257: 'b311f081943424710dcb5e2bdd317cbaeca53e9cf229de7db8c5e75d2cc77902',
      70_000: 'e3a52323a127fff10c13fd4d33b541f6c46115c1d22b2894e9724f67fae3f7af',
    });
    const tile = (level: number, n: number) =>
      hash('sha256', Buffer.concat(levels[level]!.slice(n * 256, (n + 1) * 256)), 'hex');
    expect(tile(1, 0)).toBe('8fc1707b4c4ca110b977e3dc2a7b41d7e07f6009e775353dcd4c1dd86585763a');
    expect(tile(0, 273)).toBe('e0d119ec679adedc8e63072b0a63e1a0a090aba1688146d718386b0f6bf9254b');
    expect(levels.map((nodes) => nodes.length)).toEqual([70_000, 273, 1]);
  });

  test.each([
    [1, '4025a52b32744c9f0df3d3286186487d9bec4032e5fcb9e3608ac6fa4b6e8739'],
    [2, '2241dd61e289e560c5ce63b40dd928b3db5f962afe661b7552c6df4baac50fc4'],
    [1_000, 'a6a23b7f0c5230c2141c99e58c7e0f3a67ec2d1dc0cfdd8e33a5a293a313d007'],
  ])('of a trie of %d heads', (count, root) => {
    const directory = new Directory();
    for (let i = 0; i < count; i++)
      directory.set({ tag: sha256(utf8(`stream ${i}`)), revision: i, link: sha256(utf8(`link ${i}`)) });
    expect([directory.size, toHex(directory.root)]).toEqual([count, root]);
    for (let i = 0; i < count; i += 37) {
      const head = directory.get(sha256(utf8(`stream ${i}`)))!;
      expect(toHex(rootOfPath(head, directory.path(head.tag)!)!)).toBe(root);
    }
  });
});
