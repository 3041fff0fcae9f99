import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { EXPORT, POLICY } from '../../../test/support/proof/example.js';
import { SilentLogger } from '#platform';
import {
  TreeEdge,
  checkpointText,
  directoryEntry,
  eventEntry,
  formatNote,
  fromHex,
  leafHash,
  parsePolicy,
  signText,
  signingKey,
  tagOf,
  utf8,
} from '#proof';
import { LogFollower } from './monitor/log-follower.js';
import { SqliteWitnessStore } from './sqlite/sqlite-witness-store.js';
import { Witness } from './witness.js';

/** The vectors of docs/proof.md: the log's key, the hashes of its events and its directories. */
const LOG_SEED = '57f3495e448a54605b2a6414cd3daac8c32db757ae9732a677b3f8af284c7bcf';
const [HOUSE, ONE, OTHER] = ['proof-log', 'session-ses_example', 'session-ses_other'] as const;
const ORIGIN = 'example.com/annals';
const event = (stream: string, revision: number, hash: string): Uint8Array =>
  eventEntry(tagOf(stream), revision, fromHex(hash)!);
const directory = (root: string): Uint8Array => directoryEntry(fromHex(root)!);
const ENTRIES = [
  event(HOUSE, 0, '9cb3b34c6a4cf3a749c15484b12b4f91ff27bb205f900f67def6111bb4d3908e'),
  event(ONE, 0, '96eae1d5cdc26a37800554f585ce48523769ba52c066a88ea3476b2abfb2cc14'),
  event(ONE, 1, '8de8472038bae2d1299c5d089e973c6d3ef8d21c206a6e0cccfd38c56ff02a45'),
  event(ONE, 2, 'e9f205a8364a10d6d443e12acaf67912731c7a3c6aa0c05fcaeb35375edf95e9'),
  event(OTHER, 0, 'a60ddaeda3867641e75f1184583a46efd434b90ba43748a0aab50681d2d7e7cc'),
  directory('831b07118df338c3335057fcec15556cc2b7e9f20f94d9d94d006de08ec79bbe'),
  event(HOUSE, 1, 'c60ef8782b8c9764eecaeafb042006ec14c958572e1b4e01f790b00562a1e9f0'),
  event(ONE, 3, '059d206a325d5dc296d1ab29aa3d05aa997e9ae98bbca8a4b224dd04c7626cdd'),
  event(ONE, 4, '65c34dfc10b5c3bfe36936bcd3d132a46931762230c694abb14c5f08c6276626'),
  event(ONE, 5, 'db359d047b1d2ebe3858e07a447130bde328d7fb8662a55658d345e54f3c785f'),
  directory('25bad593a61aa181fdf7d2b7b4d2e4534809c39b04c50f398ac685dc6a4fd260'),
];
const [, BODY = ''] = /```text\n(old 6\n[^`]*)```/.exec(readFileSync('docs/proof.md', 'utf8')) ?? [];

let folder: string;
let store: SqliteWitnessStore;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'annals-witness-'))));
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

test.each([
  ['witness.example/w', 11, false],
  ['audit.example/monitor', 12, true],
])('%s cosigns the example, to the byte', async (name, seed, isMonitor) => {
  store = SqliteWitnessStore.open(folder, name);
  const clock = new ManualClock(1_750_000_100_000);
  const entries = {
    async *read(from: number, to: number) {
      yield ENTRIES.slice(from, to);
    },
  };
  const follower = isMonitor ? new LogFollower(entries, store.heads(ORIGIN), clock) : null;
  const keys = parsePolicy(POLICY).logs.map(({ key }) => key);
  const logs = new Map([[ORIGIN, { keys, follower }]]);
  const key = signingKey(new Uint8Array(32).fill(seed));
  const witness = new Witness({ name, key, logs, store, clock, logger: new SilentLogger() });
  const never = new AbortController().signal;

  const tree = new TreeEdge();
  for (const entry of ENTRIES.slice(0, 6)) tree.push(leafHash(entry));
  const text = checkpointText({ origin: ORIGIN, size: 6, root: tree.root });
  const note = formatNote({ text, signatures: [signText(text, ORIGIN, signingKey(fromHex(LOG_SEED)!))] });
  expect(await witness.add(utf8(`old 0\n\n${note}`), never)).toMatchObject({ status: 200 });

  const { status, body } = await witness.add(utf8(BODY), never);
  expect(status).toBe(200);
  const [, line = ''] = new RegExp(`(\u2014 ${name} [^\\\\]+)\\\\n`).exec(EXPORT) ?? [];
  expect(body).toBe(`${line}\n`);
  expect(await witness.add(utf8(BODY), never)).toEqual({ status: 409, isSize: true, body: '11\n' });
});
