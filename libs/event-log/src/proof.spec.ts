import { describe, expect, test } from '@jest/globals';
import { ContentChanged, ContentKey, commitmentOf } from './sealing/content-key.js';
import { type ProvenEvent, StreamChain, hashOfEvent, sha256 } from './proof.js';

/** The vectors of docs/log-format.md, made without this program. */
const KEY = new ContentKey('k', Buffer.alloc(32, 7));
const STREAM = 'session-s_example';
const META = { schemaVersion: 1, project: 'default', actor: 'key_1' };
const idOf = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;

interface Vector extends ProvenEvent {
  readonly json: string;
  readonly commitment: string;
  readonly prev: string;
  readonly hash: string;
  readonly sealed: string;
}

const vector = (
  revision: number,
  type: string,
  json: string,
  meta: object,
  [commitment, prev, hash, sealed]: readonly [string, string, string, string],
): Vector => ({
  stream: STREAM,
  revision,
  id: idOf(revision + 1),
  type,
  time: 1_750_000_000_000,
  meta: { ...META, ...meta },
  json,
  commitment,
  prev,
  hash,
  sealed,
});

const VECTORS: readonly Vector[] = [
  vector(0, 'session_opened', '{}', { correlationId: 'req_1' }, [
    'ea76ecafe6105ef1a458ce16aa40600237f92da94941efbf19160cce873e25b2',
    '82b5b392340488e385de1d042597f42ea4d0abe2156ac34e469f90c0cf868059',
    '0035f105d3d36c8bbb1df95f9989ea3c9d5f002df97fc4b78dca30e1885b0002',
    'AQEBAQEBAQEBAQEBDZx6XymKf65keu3J+6a/Pd/H',
  ]),
  vector(1, 'agent_response', '{"content":"6 × 7 = 42 🙂"}', { correlationId: 'req_1' }, [
    'd47c056a8995f51f761fe2db62922cd84096a841f4a3188163253baf0b87fc4a',
    '0035f105d3d36c8bbb1df95f9989ea3c9d5f002df97fc4b78dca30e1885b0002',
    'fe925188da3762dfc5690830c6582b2fe77275ac9ccd807a432cb1f9c4bc9edd',
    'AgICAgICAgICAgICYZaKaDWf0ElucryV1KIP7eokSMdQghiUNpVqyzjsIF2MTSEkTsNXVJfdobQgBA==',
  ]),
  vector(2, 'run_cancel_requested', '{}', { causationId: 'cause_1' }, [
    'b327b2d51f4838902a677f5e4bb9c2ddbca705c0a9b1f1010fa9899a4a092986',
    '',
    'ada71a0780961252804bb9e7373b5ce7a3d0d1e8edffe1e8a7960309b3006458',
    'AwMDAwMDAwMDAwMDXoPrbhLs+3h0syjM5MWy5eFL',
  ]),
  vector(3, 'agent_cancelled', '{}', { correlationId: 'req_1' }, [
    '142f20b14f74304ae558f442778b3b9ed0806d825f6281938f74bbf3dddc977f',
    '588018b6651684b85583edee6d72547a058ccd371f70cf96d6ed1d682f462790',
    'ff67c43a82b2209085e1fe73d3df51a37bb5ae223403bba0586f85075f54db17',
    'BAQEBAQEBAQEBAQELk7Ux3uRvJd68RyQJa71x5IJ',
  ]),
];
const [FIRST, SECOND] = VECTORS as [Vector, Vector];
const placeOf = ({ stream, id }: Pick<ProvenEvent, 'stream' | 'id'>): string => JSON.stringify([stream, id]);

/** The revision that does not follow what stands before it; null: the chain holds. */
function firstBreak(events: readonly (ProvenEvent & { commitment: string; prev: string })[]): number | null {
  const chain = new StreamChain(STREAM);
  for (const event of events) {
    if (event.prev !== '' && event.prev !== chain.prev) return event.revision;
    chain.push(event, event);
  }
  return null;
}

describe('the format of the log', () => {
  test.each(VECTORS)('revision $revision is sealed, committed to and hashed as documented', (event) => {
    const { id, json, commitment, hash, sealed, revision } = event;
    expect(KEY.seal(json, placeOf(event), Buffer.alloc(12, revision + 1)).toString('base64')).toBe(sealed);
    expect(KEY.open(Buffer.from(sealed, 'base64'), placeOf(event)).toString()).toBe(json);
    expect(commitmentOf(KEY, id, json)).toBe(commitment);
    expect(hashOfEvent(event, event)).toBe(hash);
  });

  test('the chain begins with the name of the stream and takes in what had no revision', () => {
    expect(FIRST.prev).toBe(sha256(STREAM));
    expect(firstBreak(VECTORS)).toBeNull();
  });

  test('what is not sealed commits without a key', () => {
    expect(commitmentOf(null, idOf(1), '{}')).toBe(
      '75bbdcfb436aec0278a8880b1859a72973d1ff1860bf1116925a268d0bd7ed78',
    );
  });
});

describe('what must be refused', () => {
  const sealed = Buffer.from(FIRST.sealed, 'base64');

  test('sealed data at another place', () => {
    for (const other of [SECOND, { ...FIRST, stream: 'session-s_other' }])
      expect(() => KEY.open(sealed, placeOf(other))).toThrow(ContentChanged);
  });

  test('sealed data with any bit changed, cut, or under another key', () => {
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => KEY.open(changed, placeOf(FIRST))).toThrow(ContentChanged);
    }
    for (let length = 0; length < sealed.length; length++)
      expect(() => KEY.open(sealed.subarray(0, length), placeOf(FIRST))).toThrow(ContentChanged);
    const other = new ContentKey('k', Buffer.alloc(32, 8));
    expect(() => other.open(sealed, placeOf(FIRST))).toThrow(ContentChanged);
  });

  test('another text', () => {
    expect(commitmentOf(KEY, SECOND.id, SECOND.json.replace('42', '43'))).not.toBe(SECOND.commitment);
  });

  test('any other value of a field that is hashed', () => {
    const { meta } = SECOND;
    const changed: readonly Partial<Vector>[] = [
      { stream: 'session-s_other' },
      { revision: 2 },
      { id: idOf(9) },
      { type: 'agent_thinking' },
      { time: SECOND.time + 1 },
      { meta: { ...meta, schemaVersion: 2 } },
      { meta: { ...meta, project: 'other' } },
      { meta: { ...meta, actor: 'key_2' } },
      { meta: { ...meta, causationId: 'cause_1' } },
      { meta: { ...meta, correlationId: 'req_2' } },
      { commitment: FIRST.commitment },
      { prev: FIRST.prev },
    ];
    const hashes = changed.map((fields) => hashOfEvent({ ...SECOND, ...fields }, { ...SECOND, ...fields }));
    expect(new Set([...hashes, SECOND.hash]).size).toBe(changed.length + 1);
    const broken = changed.map((fields) =>
      firstBreak(VECTORS.map((event) => (event === SECOND ? { ...SECOND, ...fields } : event))),
    );
    expect(broken).not.toContain(null);
  });

  test('an event left out, put in or exchanged', () => {
    const [a, b, c, d] = VECTORS as [Vector, Vector, Vector, Vector];
    for (const events of [
      [a, b, d],
      [a, c, b, d],
      [b, c, d],
      [a, b, c, c, d],
      [a, c, d],
    ])
      expect(firstBreak(events)).not.toBeNull();
    expect(firstBreak([a, b, c, { ...d, prev: '' }])).toBeNull();
  });
});
