import { expect, test } from '@jest/globals';
import { StoredEvent, newEvent } from '#event-log';
import { SentEvents } from './sent-events.js';

const meta = { schemaVersion: 1, project: 'p', actor: 'a', keyId: 'key_1' };
const eventOf = (n: number) => newEvent({ id: `e${n}`, type: 't', time: n, data: { n } }, meta);
const told = (n: number, revision: number, position: number) =>
  new StoredEvent(eventOf(n), { stream: 's', revision, position });

test('gives what was sent by its number, in its place, once', () => {
  const sent = new SentEvents(undefined);
  expect(sent.add('s', [eventOf(0), eventOf(1)])).toBe(0);
  expect(sent.add('r', [eventOf(2)])).toBe(2);
  expect(sent.take(1, 5, 70)).toMatchObject({
    isTold: false,
    event: { id: 'e1', stream: 's', revision: 5, position: 70, data: { n: 1 } },
  });
  expect(sent.take(2, 0, 71).event).toMatchObject({ id: 'e2', stream: 'r' });
  expect(() => sent.take(1, 5, 70)).toThrow(/event 1 .* was not sent/);
});

test('knows what subscribers were told, and gives the true position where they were told a later one', () => {
  const sent = new SentEvents(undefined);
  const first = sent.add('s', [eventOf(0), eventOf(1), eventOf(2)]);
  const recorded = [told(0, 3, 12), told(1, 4, 12)];
  sent.told(first, recorded);
  const before = sent.take(0, 3, 11);
  expect(before.isTold).toBe(true);
  expect(before.event.position).toBe(11);
  expect(sent.take(1, 4, 12)).toEqual({ event: recorded[1], isTold: true });
  // Heard before its acknowledgement.
  expect(sent.take(2, 5, 13).isTold).toBe(false);
});

test('is told again where it stands elsewhere than its subscribers were told', () => {
  const sent = new SentEvents(undefined);
  sent.told(sent.add('s', [eventOf(0)]), [told(0, 3, 12)]);
  expect(sent.take(0, 4, 13).isTold).toBe(false);
});

test('lets go of what was forgotten, and keeps its numbers over many', () => {
  const sent = new SentEvents(undefined);
  for (let n = 0; n < 5_000; n++) {
    expect(sent.add('s', [eventOf(n)])).toBe(n);
    if (n % 3 === 0) sent.forget([n]);
    else expect(sent.take(n, n, n).event.id).toBe(`e${n}`);
  }
  const last = sent.add('s', [eventOf(1), eventOf(2)]);
  sent.forget([last, last, 7]);
  expect(sent.take(last + 1, 0, 1).event.id).toBe('e2');
});

test('an event whose key is destroyed comes without its content', () => {
  const sent = new SentEvents(undefined);
  sent.told(sent.add('s', [eventOf(0)]), [told(0, 0, 1)]);
  sent.erase('key_2');
  sent.erase('key_1');
  const { event } = sent.take(0, 0, 1);
  expect(event).toMatchObject({ id: 'e0', isErased: true, json: '{}', data: {} });
});
