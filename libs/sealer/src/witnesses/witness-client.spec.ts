import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  CallbackReceiver,
  type Reaction,
  answers,
  hangs,
  resets,
  streamsForEver,
} from '../../../../test/support/callback-receiver.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { ProvedLog, type Seal } from '../../../../test/support/proof/proved-log.js';
import { until } from '../../../../test/support/until.js';
import { story } from '../../../../test/support/proof/story.js';
import {
  type Note,
  consistencyProof,
  cosign,
  formatKey,
  formatNote,
  noteKey,
  parsePolicy,
  signatureLine,
  signingKey,
} from '#proof';
import { Witnesses } from './witness-client.js';

const NAME = 'witness.example/w';
const KEY = signingKey(new Uint8Array(32).fill(41));
const STRANGER = signingKey(new Uint8Array(32).fill(42));
const VKEY = formatKey(noteKey(NAME, 4, KEY.publicKey));
const TIME = 1_750_000_000;

let receiver: CallbackReceiver;
let clock: ManualClock;
let log: ProvedLog;
let seals: Seal[];
let witnesses: Witnesses;
beforeEach(async () => {
  receiver = await CallbackReceiver.start();
  clock = new ManualClock(TIME * 1000);
  log = new ProvedLog();
  seals = story().map((drafts) => {
    log.append(drafts);
    return log.seal();
  });
  witnesses = openOn(`http://127.0.0.1:${receiver.port}`);
});
afterEach(async () => {
  await witnesses.close();
  await receiver.close();
});

function openOn(...urls: readonly string[]): Witnesses {
  const lines = urls.map((url, n) =>
    n === 0
      ? `witness w ${VKEY} ${url}/`
      : `witness w${n} ${formatKey(noteKey(`other.example/${n}`, 4, STRANGER.publicKey))} ${url}`,
  );
  const policy = parsePolicy([`log ${log.vkey}`, ...lines, 'quorum w', ''].join('\n'));
  return new Witnesses({ policy, origin: log.origin, clock });
}

const newest = (): Seal => seals.at(-1)!;
const noteOf = (seal: Seal): Note => log.note(seal);
const lineBy = (key: typeof KEY, name: string, text: string, time = TIME): string =>
  signatureLine(cosign(text, name, key, time));

const asked: number[] = [];
function ask(seal = newest(), of = witnesses) {
  asked.length = 0;
  return of.cosign(formatNote(noteOf(seal)), async (old) => {
    asked.push(old);
    return consistencyProof(log.node, old, seal.size);
  });
}

/** Answers with its own lines to what it is sent. */
const signs =
  (...lines: ((text: string) => string)[]): Reaction =>
  ({ body }, response) => {
    const text = body.slice(body.indexOf('\n\n') + 2).split('\n\n')[0]! + '\n';
    response.end(lines.map((line) => line(text)).join(''));
  };
const signsRight = signs((text) => lineBy(KEY, NAME, text));

test('asks with nothing at first, and then from what the witness cosigned last', async () => {
  receiver.react = signsRight;
  const { cosignatures } = await ask(seals[0]);
  expect(cosignatures).toEqual([{ witness: 'w', time: TIME, signature: expect.anything() }]);
  expect(witnesses.isQuorumMet(cosignatures)).toBe(true);
  expect(witnesses.isQuorumMet([])).toBe(false);
  expect((await ask(seals[1])).cosignatures).toHaveLength(1);
  expect(receiver.received.map(({ path, body }) => [path, body.split('\n', 1)[0]])).toEqual([
    ['/add-checkpoint', 'old 0'],
    ['/add-checkpoint', `old ${seals[0]!.size}`],
  ]);
  clock.advance(7_000);
  expect(witnesses.ages).toEqual([{ witness: 'w', seconds: 7 }]);
});

test('what a published note bears is known from the start', async () => {
  receiver.react = signsRight;
  expect(witnesses.ages).toEqual([{ witness: 'w', seconds: null }]);
  const { text } = noteOf(seals[0]!);
  witnesses.learn(log.note(seals[0]!, [cosign(text, NAME, KEY, TIME - 5)]));
  witnesses.learn(log.note(seals[1]!, [cosign(text, NAME, STRANGER, TIME)]));
  expect(witnesses.ages).toEqual([{ witness: 'w', seconds: 5 }]);
  await ask();
  expect(asked).toEqual([seals[0]!.size]);
});

test('asks once more with the size that a witness holds, and never for ever', async () => {
  receiver.react = (request, response, n) =>
    n === 0
      ? answers(409, { 'content-type': 'text/x.tlog.size' }, '3\n')(request, response, n)
      : signsRight(request, response, n);
  expect((await ask()).cosignatures).toHaveLength(1);
  expect(asked).toEqual([0, 3]);
  receiver.react = answers(409, {}, '3\n');
  expect(await ask()).toMatchObject({ cosignatures: [], conflicts: [], missing: [{ witness: 'w' }] });
  expect(asked).toEqual([newest().size, 3]);
});

test('a size above its own and a refusal of the proof are conflicts', async () => {
  receiver.react = answers(409, {}, `${newest().size + 1}\n`);
  expect(await ask()).toMatchObject({ conflicts: [{ kind: 'conflict', witness: 'w' }], missing: [] });
  expect(asked).toEqual([0]);
  receiver.react = answers(422, {}, 'leaf 7 is revision 3\u001b[31m of nothing\nand so on');
  const { conflicts } = await ask();
  expect(conflicts).toEqual([
    { kind: 'conflict', witness: 'w', reason: 'leaf 7 is revision 3?[31m of nothing' },
  ]);
});

test.each<[string, Reaction]>([
  ['another key under its name', signs((text) => lineBy(STRANGER, NAME, text))],
  ['another text', signs(() => lineBy(KEY, NAME, 'other.example/log\n1\nAAAA\n'))],
  ['its key under another name', signs((text) => lineBy(KEY, 'witness.example/x', text))],
  ['nothing', answers(200)],
  ['garbage', answers(200, {}, '\u2014 \u2014 \u0000\n\u2014 w AAAA\n'.repeat(50))],
  ['no HTTP', (_, response) => void response.socket?.end('what?\r\n\r\n')],
  ['a size that is none', answers(409, {}, '1e3\n')],
  ['a size without a line feed', answers(409, {}, '3')],
  ['a redirect', answers(307, { location: 'http://127.0.0.1:1/add-checkpoint' })],
  ['a body without an end', (_, response) => void response.writeHead(200).write('x'.repeat(300_000))],
  ['a connection that breaks', resets],
])('%s counts for nothing', async (_, reaction) => {
  receiver.react = reaction;
  expect(await ask()).toMatchObject({ cosignatures: [], conflicts: [], missing: [{ witness: 'w' }] });
  expect(receiver.received).toHaveLength(1);
  expect(await witnesses.latest()).toEqual([]);
});

test('of many lines the newest good one of its key is taken', async () => {
  receiver.react = signs(
    (text) => lineBy(STRANGER, NAME, text, TIME + 9),
    (text) => lineBy(KEY, NAME, text, TIME),
    (text) => lineBy(KEY, NAME, text, TIME + 3),
    (text) => lineBy(KEY, NAME, text, TIME + 1),
  );
  const { cosignatures } = await ask();
  expect(cosignatures.map(({ time }) => time)).toEqual([TIME + 3]);
});

test.each([
  ['hangs', hangs],
  ['never ends', streamsForEver],
])('one that %s delays no more than the time that there is', async (_, reaction) => {
  const good = await CallbackReceiver.start(signsRight);
  const both = openOn(`http://127.0.0.1:${good.port}`, `http://127.0.0.1:${receiver.port}`);
  receiver.react = reaction;
  const answer = ask(newest(), both);
  await until(() => both.ages[0]!.seconds !== null && receiver.received.length === 1);
  clock.advance(5_000);
  expect(await answer).toMatchObject({ cosignatures: [{ witness: 'w' }], missing: [{ witness: 'w1' }] });
  // Nobody waits for it again before a while has passed.
  expect(await ask(newest(), both)).toMatchObject({ missing: [{ witness: 'w1' }] });
  expect(receiver.received).toHaveLength(1);
  clock.advance(5_000);
  receiver.react = answers(404);
  await ask(newest(), both);
  expect(receiver.received).toHaveLength(2);
  await both.close();
  await good.close();
});

test('whoever holds a checkpoint of the log is heard; who holds none, or one of another, is not', async () => {
  const note = formatNote(noteOf(newest()));
  receiver.react = answers(200, {}, note);
  const [held] = await witnesses.latest();
  expect(held).toMatchObject({ witness: 'w', checkpoint: { origin: log.origin, size: newest().size } });
  expect(receiver.received[0]!.path).toMatch(/^\/[0-9a-f]{64}\/checkpoint$/);
  receiver.react = answers(200, {}, note.replaceAll(log.origin, 'other.example/log'));
  expect(await witnesses.latest()).toEqual([]);
  receiver.react = answers(404);
  expect(await witnesses.latest()).toEqual([]);
});

test('one that is not there is asked each time', async () => {
  receiver.react = resets;
  await ask();
  receiver.react = signsRight;
  expect((await ask()).cosignatures).toHaveLength(1);
});

test('a note lacks the quorum where a good signature of somebody who can be asked is missing', () => {
  const { text } = noteOf(newest());
  const by = (key: typeof KEY): Note => log.note(newest(), [cosign(text, NAME, key, TIME)]);
  expect(witnesses.lacksQuorum(noteOf(newest()))).toBe(true);
  expect(witnesses.lacksQuorum(by(STRANGER))).toBe(true);
  expect(witnesses.lacksQuorum(by(KEY))).toBe(false);
  // Whom nobody asks cannot be waited for.
  const unasked = formatKey(noteKey('other.example/w', 4, STRANGER.publicKey));
  const lines = [
    `witness w ${VKEY} https://w.example`,
    `witness u ${unasked}`,
    'group g all w u',
    'quorum g',
  ];
  const some = new Witnesses({ policy: parsePolicy(`${lines.join('\n')}\n`), origin: log.origin, clock });
  expect(some.lacksQuorum(noteOf(newest()))).toBe(true);
  expect(some.lacksQuorum(by(KEY))).toBe(false);
  const none = parsePolicy(`witness w ${VKEY} https://w.example\nquorum none\n`);
  const any = new Witnesses({ policy: none, origin: log.origin, clock });
  expect(any.lacksQuorum(noteOf(newest()))).toBe(false);
});

test('witnesses without a URL are not asked', () => {
  const policy = parsePolicy(`witness w ${VKEY}\nquorum w\n`);
  expect(new Witnesses({ policy, origin: log.origin, clock }).isEmpty).toBe(true);
});
