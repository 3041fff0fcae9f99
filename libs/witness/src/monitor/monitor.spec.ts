import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { addCheckpointBody } from '../../../../test/support/proof/add-checkpoint.js';
import { AttackStage } from '../../../../test/support/proof/attack-stage.js';
import { LOG_ORIGIN, type ProvedLog, type Seal } from '../../../../test/support/proof/proved-log.js';
import { STREAM_OF_STORY, runOf, story } from '../../../../test/support/proof/story.js';
import { TileServer } from '../../../../test/support/proof/tile-server.js';
import { PlainConnections } from '#http';
import { SilentLogger, SystemClock } from '#platform';
import { TreeEdge, eventEntry, leafHash, parsePolicy, sha256, toHex, utf8 } from '#proof';
import { type OpenedWitness, openWitness } from '../open-witness.js';
import type { WitnessReply } from '../witness.js';

const never = new AbortController().signal;
const clock = new SystemClock();

let folder: string;
let stage: AttackStage;
let tiles: TileServer;
let connections: PlainConnections;
let witness: OpenedWitness;
let monitor: OpenedWitness;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'annals-monitor-'));
  stage = new AttackStage();
  tiles = await TileServer.start(stage.log.entries);
  connections = new PlainConnections(clock);
  [witness, monitor] = ['witness.example/w', 'audit.example/monitor'].map(open) as [
    OpenedWitness,
    OpenedWitness,
  ];
});
afterEach(async () => {
  await Promise.all([witness, monitor].map((one) => one.close()));
  await connections.close();
  await tiles.close();
  rmSync(folder, { recursive: true });
});

const open = (name: string): OpenedWitness =>
  openWitness({
    policy: parsePolicy(`log ${stage.log.vkey} ${tiles.url}/\nquorum none\n`),
    name,
    folder: join(folder, name),
    apiKey: 'annals_key',
    connections,
    clock,
    logger: new SilentLogger(),
  });

const ask = (of: OpenedWitness, body: string): Promise<WitnessReply> => of.witness.add(utf8(body), never);

/** What both say to a seal, which goes on from the one before. */
async function judged(
  seal: Seal,
  old: number,
  log: ProvedLog = stage.log,
): Promise<readonly [number, number, string]> {
  const body = addCheckpointBody(log, seal, old);
  const [plain, read] = await Promise.all([witness, monitor].map((one) => ask(one, body)));
  return [plain!.status, read!.status, read!.body];
}

async function honest(): Promise<number> {
  let old = 0;
  for (const { seal } of stage.seals) {
    expect(await judged(seal, old)).toEqual([
      200,
      200,
      expect.stringMatching(/^\u2014 audit\.example\/monitor /),
    ]);
    old = seal.size;
  }
  return old;
}

test('reads each leaf of an honest log, once, with its key', async () => {
  const size = await honest();
  expect(tiles.authorization).toBe('Bearer annals_key');
  expect(tiles.asked).toEqual(stage.seals.map(({ seal }) => `000.p/${seal.size}`));
  expect(await judged(stage.newest.seal, size)).toMatchObject([200, 200, expect.anything()]);
  expect(tiles.asked).toHaveLength(stage.seals.length);
});

test('goes on where it was after a restart', async () => {
  const [first, second, third] = stage.seals.map(({ seal }) => seal);
  expect(await judged(first!, 0)).toMatchObject([200, 200, expect.anything()]);
  expect(await judged(second!, first!.size)).toMatchObject([200, 200, expect.anything()]);
  await monitor.close();
  monitor = open('audit.example/monitor');
  expect(await judged(third!, second!.size)).toMatchObject([200, 200, expect.anything()]);
});

test('of two that go on from one size while it reads, one is cosigned', async () => {
  const [first, second] = stage.seals.map(({ seal }) => seal);
  const both = await Promise.all(
    [first!, second!].map((seal) => ask(monitor, addCheckpointBody(stage.log, seal, 0))),
  );
  expect(both.map(({ status }) => status)).toEqual([200, 409]);
  expect(both[1]!.body).toBe(`${first!.size}\n`);
});

test('so many wait, and more are told to come back', async () => {
  const body = addCheckpointBody(stage.log, stage.newest.seal, 0);
  const all = await Promise.all(Array.from({ length: 12 }, () => ask(monitor, body)));
  expect(all.map(({ status }) => status)).toEqual([
    200,
    ...Array<number>(7).fill(409),
    ...Array<number>(4).fill(503),
  ]);
});

describe('an operator who holds the key', () => {
  let old: number;
  const next = (): number => stage.log.entries.length;
  beforeEach(async () => void (old = await honest()));

  /** What a plain witness cosigns and the monitor does not; then the monitor stays with what it has. */
  async function caught(seal: Seal, reason: string): Promise<void> {
    expect(await judged(seal, old)).toEqual([200, 422, `${reason}\n`]);
    const hash = toHex(sha256(utf8(LOG_ORIGIN)));
    expect(monitor.witness.latest(hash)).toContain(`\n${stage.newest.seal.size}\n`);
    expect(await ask(monitor, addCheckpointBody(stage.log, stage.newest.seal, old))).toMatchObject({
      status: 200,
    });
  }

  test('appends a second history', async () => {
    const at = next();
    const other = stage.rewritten((draft) => ({
      ...draft,
      text: draft.text.replace('answer 1', 'answer 7'),
    }));
    for (const event of other.events) stage.log.pushEvent(other.tag, event);
    const { revision } = stage.stream.last;
    await caught(stage.log.seal(), `leaf ${at} is revision 0 of a stream whose next is ${revision + 1}`);
  });

  test('appends a revision whose link stands on another history', async () => {
    const other = stage.rewritten((draft) => ({
      ...draft,
      text: draft.text.replace('answer 1', 'answer 7'),
    }));
    stage.log.pushEvent(
      other.tag,
      other.append({ ...stage.stream.last, type: 'session_retitled', text: '{}' }),
    );
    const at = next();
    await caught(
      stage.log.seal(),
      `leaf ${at} is a directory that does not follow from the leaves before it`,
    );
  });

  test.each([
    ['an older end', 12],
    ['no end', -1],
  ])('seals a directory that says %s of a stream', async (_, revision) => {
    const { tag, events } = stage.stream;
    const heads = new Map(stage.log.heads);
    if (revision < 0) heads.delete(STREAM_OF_STORY);
    else heads.set(STREAM_OF_STORY, { tag, revision, link: events[revision]!.link });
    const at = next();
    await caught(
      stage.log.seal(heads),
      `leaf ${at} is a directory that does not follow from the leaves before it`,
    );
  });

  test('leaves out a revision', async () => {
    stage.stream.append({ ...stage.stream.last, type: 'session_retitled', text: '{}' });
    const at = next();
    stage.log.append(runOf('ses_story', 4).slice(0, 1));
    const { revision } = stage.stream.last;
    await caught(
      stage.log.seal(),
      `leaf ${at} is revision ${revision} of a stream whose next is ${revision - 1}`,
    );
  });

  test('seals without a directory at the end', async () => {
    stage.log.append(runOf('ses_story', 4));
    const tree = new TreeEdge();
    for (const entry of stage.log.entries) tree.push(leafHash(entry));
    await caught({ ...stage.newest.seal, size: tree.size, root: tree.root }, 'the last leaf is no directory');
  });

  test('shows other leaves than those of the tree', async () => {
    stage.log.append(runOf('ses_a', 2));
    const seal = stage.log.seal();
    const { tag, last, events } = stage.stream;
    tiles.entries = stage.log.entries.with(next() - 2, eventEntry(tag, events.length, last.hash));
    const at = next() - 1;
    await caught(seal, `leaf ${at} is a directory that does not follow from the leaves before it`);
    tiles.entries = stage.log.entries.with(next() - 2, Uint8Array.of(7, 7));
    expect(await judged(seal, old)).toMatchObject([
      409,
      422,
      `leaf ${at - 1} is neither an event nor a directory\n`,
    ]);
  });

  test('shows leaves that hang together, and are others', async () => {
    const other = new AttackStage(
      story().map((part) => part.map((draft) => ({ ...draft, time: draft.time + 1 }))),
    );
    await monitor.close();
    rmSync(join(folder, 'audit.example/monitor'), { recursive: true });
    monitor = open('audit.example/monitor');
    tiles.entries = other.log.entries;
    const { seal } = stage.newest;
    expect(await judged(seal, 0)).toMatchObject([409, 422, 'the entries are not those of the checkpoint\n']);
    tiles.entries = stage.log.entries;
    expect(await judged(seal, 0)).toMatchObject([409, 200, expect.anything()]);
  });

  test('cuts the log, or forks it: whoever looks at the tree alone sees it, too', async () => {
    const [first] = stage.seals;
    expect(await judged(first!.seal, first!.seal.size)).toMatchObject([409, 409, `${old}\n`]);
    const other = new AttackStage(
      story().map((part) => part.map((draft) => ({ ...draft, time: draft.time + 1 }))),
    );
    expect(await judged(other.newest.seal, old, other.log)).toMatchObject([422, 422, expect.anything()]);
  });
});

describe('leaves that cannot be had', () => {
  test.each<[string, TileServer['react'], RegExp]>([
    ['are not there', (_, response) => !!response.writeHead(404).end(), /^tile 000\.p\/\d+ holds no entries/],
    ['are refused', (_, response) => !!response.writeHead(403).end(), /^tile 0 .* answered 403/],
    ['are elsewhere', (_, response) => !!response.writeHead(302, { location: '/x' }).end(), /answered 302/],
    ['are garbage', (_, response) => !!response.writeHead(200).end('hello'), /holds no entries/],
    ['are too long', (_, response) => !!response.writeHead(200).end('x'.repeat(19_300)), /too large/],
  ])('%s: nothing is cosigned', async (_, react, reason) => {
    tiles.react = react;
    const [plain, read, body] = await judged(stage.newest.seal, 0);
    expect([plain, read, body]).toEqual([200, 422, expect.stringMatching(reason)]);
    tiles.react = () => false;
    expect(await judged(stage.newest.seal, 0)).toMatchObject([409, 200, expect.anything()]);
  });

  test('are asked for again where a server has a bad moment', async () => {
    let times = 0;
    tiles.react = (_, response) => times++ < 2 && !!response.writeHead(503, { 'retry-after': '0' }).end();
    expect(await judged(stage.newest.seal, 0)).toMatchObject([200, 200, expect.anything()]);
    expect(times).toBe(3);
  });

  test('are asked for as a full tile where the partial one is gone', async () => {
    const many = Array.from({ length: 300 }, () => runOf('ses_a', 2)).flat();
    const { seal } = stage.newest;
    stage.log.append(many);
    tiles.react = (path, response) => path.includes('.p/') && !!response.writeHead(404).end();
    expect(await judged(seal, 0)).toMatchObject([200, 200, expect.anything()]);
    expect(tiles.asked).toEqual([`000.p/${seal.size}`, '000']);
  });

  test('are let go of when it is stopped', async () => {
    tiles.react = () => true;
    const stop = new AbortController();
    const body = addCheckpointBody(stage.log, stage.newest.seal, 0);
    const reply = monitor.witness.add(utf8(body), stop.signal);
    stop.abort();
    expect(await reply).toMatchObject({ status: 503 });
  });
});

test('a log of many tiles is followed whole', async () => {
  const seals: Seal[] = [];
  for (let n = 2; n < 200; n++) {
    stage.log.append([...runOf('ses_a', n), ...runOf(`ses_${n}`, 1)]);
    if (n % 40 === 0) seals.push(stage.log.seal());
  }
  let old = 0;
  for (const seal of seals) {
    expect(await judged(seal, old)).toMatchObject([200, 200, expect.anything()]);
    old = seal.size;
  }
  expect(tiles.asked.length).toBeGreaterThan(8);
});
