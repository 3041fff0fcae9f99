import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { StreamCheck } from '#proof/browser';
import type { LogLine } from '../api/types.js';
import { exportEvent, withShown } from './export-event.js';

const LINES = readFileSync('docs/examples/proof/ses_example.annals.jsonl', 'utf8').trimEnd().split('\n');
const EVENTS = LINES.slice(2, -1).map((line) => JSON.parse(line) as LogLine);

const failureOf = (events: readonly LogLine[]) => {
  const check = new StreamCheck('ses_example');
  for (const event of events) check.push(exportEvent(event));
  return check.failure;
};

test('an event of the log is written as an export has it, to the byte', () => {
  for (const [n, event] of EVENTS.entries()) {
    const { prev, salt, ...first } = event;
    // Fields in another order, and what a log says of a text that is too large.
    const shuffled = { prev, ...(salt === undefined ? {} : { salt }), ...first };
    expect(withShown(LINES[n + 2]!, () => shuffled)).toBe(LINES[n + 2]);
  }
  const cut = { ...EVENTS[3]!, bytes: 30, head: '{"con' };
  delete (cut as { text?: string }).text;
  const { salt: _, text: __, ...undisclosed } = EVENTS[3]!;
  expect(JSON.stringify(exportEvent(cut))).toBe(JSON.stringify(undisclosed));
});

test('what is no event, or is not on the screen, stays as it is', () => {
  for (const line of LINES) expect(withShown(line, () => undefined)).toBe(line);
  for (const line of [LINES[0]!, LINES[1]!, LINES.at(-1)!])
    expect(withShown(line, () => EVENTS[0])).toBe(line);
});

test('events that hang together have no failure, and each change of one is named', () => {
  expect(failureOf(EVENTS)).toBeNull();
  const changed = (at: number, fields: Partial<LogLine>) =>
    failureOf(EVENTS.map((event, n) => (n === at ? { ...event, ...fields } : event)));
  expect(changed(3, { text: '{"content":"6 × 7 = 43 🙂"}' })).toMatchObject({
    code: 'commitment',
    revision: 3,
  });
  expect(changed(3, { time: 1 })).toMatchObject({ code: 'chain', revision: 5 });
  expect(changed(1, { id: EVENTS[0]!.id })).toMatchObject({ code: 'duplicate_id', revision: 1 });
  expect(failureOf(EVENTS.toSpliced(4, 1))).toMatchObject({ code: 'gap', revision: 5 });
});
