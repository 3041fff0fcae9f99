import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { addCheckpointBody } from '../../../test/support/proof/add-checkpoint.js';
import { LOG_ORIGIN, ProvedLog, type Seal } from '../../../test/support/proof/proved-log.js';
import { story } from '../../../test/support/proof/story.js';
import { PlainConnections } from '#http';
import { Logger, SilentLogger } from '#platform';
import {
  checkpointText,
  formatNote,
  judge,
  parseKey,
  parseNote,
  parsePolicy,
  sha256,
  toHex,
  utf8,
} from '#proof';
import { type OpenedWitness, openWitness } from './open-witness.js';
import type { WitnessReply } from './witness.js';

const NAME = 'witness.example/w';
const TIME = 1_750_000_000;
const never = new AbortController().signal;

let folder: string;
let clock: ManualClock;
let log: ProvedLog;
let seals: Seal[];
let opened: OpenedWitness;
let warnings: object[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-witness-'));
  clock = new ManualClock(TIME * 1000);
  [log, seals] = sealed();
  warnings = [];
  opened = open();
});
afterEach(async () => {
  await opened.close();
  rmSync(folder, { recursive: true });
});

function sealed(change: (text: string) => string = (text) => text): [ProvedLog, Seal[]] {
  const made = new ProvedLog();
  const all = story().map((drafts) => {
    made.append(drafts.map((draft) => ({ ...draft, text: change(draft.text) })));
    return made.seal();
  });
  return [made, all];
}

const open = (name = NAME): OpenedWitness =>
  openWitness({
    policy: parsePolicy(`log ${log.vkey}\nquorum none\n`),
    name,
    folder,
    apiKey: null,
    connections: new PlainConnections(clock),
    clock,
    logger: new WarningsOnly(),
  });

class WarningsOnly extends Logger {
  override debug(): void {}
  override info(): void {}
  override error(): void {}
  override warn(fields: object): void {
    warnings.push(fields);
  }
}

const say = (body: string): Promise<WitnessReply> => opened.witness.add(utf8(body), never);
const bodyOf = (n: number, old: number): string => addCheckpointBody(log, seals[n]!, old);
const originHash = toHex(sha256(utf8(LOG_ORIGIN)));

test('cosigns what goes on from what it has, and shows it with both signatures', async () => {
  expect(opened.witness.latest(originHash)).toBeNull();
  const key = parseKey(opened.line.split(' ')[2]!)!;
  for (const [n, old] of [0, seals[0]!.size, seals[1]!.size].entries()) {
    clock.advance(10_000);
    const { status, body } = await say(bodyOf(n, old));
    expect(status).toBe(200);
    const { text } = log.note(seals[n]!);
    const note = parseNote(`${text}\n${body}`)!;
    expect(judge(note, key)).toEqual({ is: 'good', time: TIME + (n + 1) * 10 });
    const latest = parseNote(opened.witness.latest(originHash)!)!;
    expect(latest.text).toBe(text);
    expect(judge(latest, key)).toEqual(judge(note, key));
    expect(judge(latest, parseKey(log.vkey)!)).toMatchObject({ is: 'good' });
  }
});

test('cosigns the same again, with the time of now', async () => {
  const first = await say(bodyOf(1, 0));
  clock.advance(60_000);
  const again = await say(bodyOf(1, seals[1]!.size));
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).not.toBe(first.body);
});

test('of two that go on from one size, one is cosigned', async () => {
  await say(bodyOf(0, 0));
  const { size } = seals[0]!;
  const both = await Promise.all([say(bodyOf(2, size)), say(bodyOf(1, size))]);
  expect(both.map(({ status, isSize }) => [status, isSize])).toEqual([
    [200, false],
    [409, true],
  ]);
  expect(both[1].body).toBe(`${seals[2]!.size}\n`);
});

test('an empty tree is cosigned, and grows', async () => {
  const empty = checkpointText({ origin: LOG_ORIGIN, size: 0, root: sha256(new Uint8Array()) });
  expect(await say(`old 0\n\n${signed(empty)}`)).toMatchObject({ status: 200 });
  expect(opened.witness.latest(originHash)).toContain(empty);
  expect(await say(bodyOf(0, 0))).toMatchObject({ status: 200 });
});

const signed = (text: string): string =>
  formatNote({
    text,
    signatures: [{ ...log.note(seals[0]!).signatures[0]!, bytes: log.key.sign(utf8(text)) }],
  });

describe('what it refuses', () => {
  const note = (n = 1): string => formatNote(log.note(seals[n]!));
  const hash = 'A'.repeat(43) + '=';
  beforeEach(() => say(bodyOf(0, 0)));
  const held = (): number => seals[0]!.size;

  test.each<[string, () => string, number]>([
    ['nothing', () => '', 400],
    ['no note', () => `old ${held()}\n\n`, 400],
    ['an old size with a zero before it', () => `old 0${held()}\n\n${note()}`, 400],
    ['an old size beyond counting', () => `old 99999999999999999999\n\n${note()}`, 400],
    ['a sign', () => `old +1\n\n${note()}`, 400],
    ['no old size', () => `${hash}\n\n${note()}`, 400],
    ['carriage returns', () => bodyOf(1, held()).replaceAll('\n', '\r\n'), 400],
    ['64 lines of proof', () => `old ${held()}\n${`${hash}\n`.repeat(64)}\n${note()}`, 400],
    ['a line of proof that is no hash', () => `old ${held()}\nAAAA\n\n${note()}`, 400],
    ['a hash in another spelling', () => `old ${held()}\n${hash.replace('A=', 'B=')}\n\n${note()}`, 400],
    ['no line feed at the end', () => bodyOf(1, held()).slice(0, -1), 400],
    ['extension lines', () => `old ${held()}\n\n${signed(`${log.note(seals[1]!).text}more\n`)}`, 400],
    ['more than 64 KiB', () => `${bodyOf(1, held())}${'\u2014 x AAAAAAA=\n'.repeat(5_000)}`, 400],
    [
      'another log, of no key and a wrong size',
      () => bodyOf(1, held()).replaceAll(LOG_ORIGIN, 'o.example'),
      404,
    ],
    ['no signature of the log', () => bodyOf(1, 999).replace(/\u2014 .*/, '\u2014 x AAAAAAA='), 403],
    [
      'a wrong signature beside a good one',
      () => `${bodyOf(1, 999)}${bodyOf(0, 0).split('\n').at(-2)!}\n`,
      403,
    ],
    [
      'a changed root',
      () => bodyOf(1, 999).replace(/\n[A-Za-z0-9+/]{43}=\n\n\u2014/, `\n${hash}\n\n\u2014`),
      403,
    ],
    ['an old size above the new one', () => `old ${seals[1]!.size + 1}\n\n${note()}`, 400],
    ['an old size that is not its own, and no proof', () => `old 3\n\n${note()}`, 409],
    ['a smaller tree', () => bodyOf(0, 3), 409],
    ['no proof', () => `old ${held()}\n\n${note()}`, 422],
    ['a proof too much', () => bodyOf(1, held()).replace('\n\n', `\n${hash}\n\n`), 422],
    ['a proof for the same size', () => bodyOf(0, held()).replace('\n\n', `\n${hash}\n\n`), 422],
  ])('%s', async (_, body, status) => {
    const reply = await say(body());
    expect(reply).toEqual({
      status,
      isSize: status === 409,
      body: status === 409 ? `${held()}\n` : expect.stringMatching(/^[ -~]+\n$/),
    });
    expect(opened.witness.latest(originHash)).toContain(formatNote(log.note(seals[0]!)));
  });

  test('bytes that are no text', async () => {
    expect(await opened.witness.add(Uint8Array.of(0x6f, 0xff, 0x0a, 0x0a), never)).toMatchObject({
      status: 400,
    });
  });

  test('another root of the same size, and a tree of another history', async () => {
    const [other, otherSeals] = sealed((text) => text.replace('answer 1', 'answer 7'));
    const [same, later] = [0, 1].map((n) => addCheckpointBody(other, otherSeals[n]!, held()));
    expect(await say(same!)).toMatchObject({ status: 422 });
    expect(await say(later!)).toMatchObject({ status: 422 });
  });
});

test('what a log has signed and is wrong stands in a line with the note, one a second', async () => {
  await say(bodyOf(0, 0));
  const wrong = `old ${seals[0]!.size}\n\n${formatNote(log.note(seals[1]!))}`;
  for (let n = 0; n < 5; n++) await say(wrong);
  await say(bodyOf(1, 999).replace(/\u2014 .*/, '\u2014 x AAAAAAA='));
  expect(warnings).toEqual([
    expect.objectContaining({ size: seals[1]!.size, note: formatNote(log.note(seals[1]!)) }),
  ]);
  clock.advance(1_000);
  await say(wrong);
  expect(warnings).toHaveLength(2);
});

test('empty and not: a root of nothing that is another, and a proof from nothing', async () => {
  const wrong = checkpointText({ origin: LOG_ORIGIN, size: 0, root: new Uint8Array(32) });
  expect(await say(`old 0\n\n${signed(wrong)}`)).toMatchObject({ status: 422 });
  const proof = bodyOf(0, 0).replace('\n\n', `\n${'A'.repeat(43)}=\n\n`);
  expect(await say(proof)).toMatchObject({ status: 422 });
  expect(opened.witness.latest(originHash)).toBeNull();
});

describe('its file', () => {
  test('is for its user alone, and brings key and memory back', async () => {
    await say(bodyOf(0, 0));
    const { line } = opened;
    await opened.close();
    for (const file of ['witness.db']) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    opened = open();
    expect(opened.line).toBe(line);
    expect(await say(bodyOf(1, 0))).toMatchObject({ status: 409, body: `${seals[0]!.size}\n` });
    expect(await say(bodyOf(1, seals[0]!.size))).toMatchObject({ status: 200 });
  });

  test('is of one process and one name', async () => {
    expect(() => open()).toThrow('DATA_DIR must be free');
    await opened.close();
    expect(() => open('witness.example/x')).toThrow(`its key is that of ${NAME}`);
    opened = open();
  });

  test('that is of something else is left as it is', async () => {
    await opened.close();
    rmSync(join(folder, 'witness.db'));
    const db = new DatabaseSync(join(folder, 'witness.db'));
    db.exec('CREATE TABLE notes (text TEXT)');
    db.close();
    expect(() => open()).toThrow(/^DATA_DIR must be the folder of a witness/);
    rmSync(join(folder, 'witness.db'));
    opened = open();
  });
});

test('without a log, with a name of blanks, or as a monitor of a log without a URL there is none', () => {
  expect(() => open('two words')).toThrow('1 to 200');
  expect(() => open('witness.example/monitor')).toThrow('must have a URL');
  const none = { policy: parsePolicy('quorum none\n'), name: NAME, folder: join(folder, 'none') };
  const ports = { apiKey: null, connections: new PlainConnections(clock), clock, logger: new SilentLogger() };
  expect(() => openWitness({ ...none, ...ports })).toThrow('a log line');
});
