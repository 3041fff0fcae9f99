import { expect, test } from '@jest/globals';
import type { ContentCodec, ContentSealer } from '../content-codec.js';
import type { MessageRow } from '../projection/rows.js';
import { messagesIn, storedMessages } from './message-parts.js';

const sealer = { seal: (_: string, text: string) => Buffer.from(text) } as unknown as ContentSealer;
const codec = { open: (_: string, bytes: Buffer) => bytes.toString() } as unknown as ContentCodec;

const message = (session: string, revision: number, text: string): MessageRow => ({
  session,
  revision,
  type: 'agent_response',
  pieces: [text],
});

test.each([
  ['short ones far apart', 2_000, 3, 40],
  ['long ones', 200, 2, 9_000],
  ['longer ones than a row', 5, 7, 50_000],
])('a commit of %s is rows of a bounded size and length, in order', (_, count, step, chars) => {
  const all = Array.from({ length: count }, (__, n) => message('a', n * step, `${n} `.padEnd(chars, 'x')));
  const rows = storedMessages([...all.toReversed(), message('b', 1, 'other')], sealer);
  const ofA = rows.filter(({ session }) => session === 'a');
  const parts = ofA.map(({ session, contents }) => messagesIn(session, { contents }, codec));
  expect(parts.flat()).toEqual(all.map(({ type, pieces }) => ({ type, pieces })));
  expect(rows.filter(({ session }) => session === 'b')).toHaveLength(1);
  let first = 0;
  for (const [n, part] of parts.entries()) {
    expect(ofA[n]!.revision).toBe(all[first]!.revision);
    expect((part.length - 1) * step).toBeLessThan(500);
    if (part.length > 1) expect(ofA[n]!.contents.length).toBeLessThan(40 * 1024);
    first += part.length;
  }
  expect(parts.length).toBeLessThanOrEqual(chars < 30_000 ? count / 2 : count);
});

test('messages of one revision are one row, however long they are: a row is found by its revision', () => {
  const given = Array.from({ length: 40 }, (_, n) => message('a', 3, `${n} `.padEnd(4_000, 'x')));
  const all = [message('a', 1, 'before'), ...given, message('a', 4, 'behind')];
  const rows = storedMessages(all, sealer);
  expect(new Set(rows.map(({ revision }) => revision)).size).toBe(rows.length);
  const parts = rows.flatMap(({ session, contents }) => messagesIn(session, { contents }, codec));
  expect(parts).toEqual(all.map(({ type, pieces }) => ({ type, pieces })));
});
