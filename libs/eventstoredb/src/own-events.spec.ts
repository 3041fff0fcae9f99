import { expect, test } from '@jest/globals';
import { newEvent, ContentKey } from '#event-log';
import { OwnEvents } from './own-events.js';
import type { ServerRecord } from './server-answers.js';
import { type WireEvent, wireDataOf, wireEventOf } from './wire-event.js';

const STREAM = 'annals.s';
const key = new ContentKey('key_1', Buffer.alloc(32, 1));
const meta = { schemaVersion: 1, project: 'p', actor: 'a', keyId: key.id };
let count = 0;

const eventOf = (text = 'a word') =>
  newEvent({ id: `e${++count}`, type: 't', time: 1, data: { text } }, meta);

function sealed(event: ReturnType<typeof eventOf>): WireEvent {
  return wireEventOf(event, wireDataOf(key, 's', event), '');
}

/** One event, sent as the seventh. */
function sent() {
  const own = new OwnEvents();
  const event = eventOf();
  const wire = sealed(event);
  own.add(STREAM, [event], [wire], 7);
  return { own, event, wire };
}

const recordOf = ({ id, type, metadata, data }: WireEvent): ServerRecord => ({
  id,
  type,
  metadata,
  data,
  stream: STREAM,
  revision: 0,
  position: 1,
  created: 0,
});

test('knows what was sent, once', () => {
  const { own, wire } = sent();
  expect(own.take(recordOf(wire))).toBe(7);
  expect(own.take(recordOf(wire))).toBeNull();
  expect(own.takeForgotten()).toEqual([]);
});

test.each([
  ['data', {}],
  ['metadata', { metadata: '{}' }],
  ['type', { type: 'other' }],
  ['stream', { stream: `${STREAM}other` }],
])('does not know what has another %s, and will not', (what, change) => {
  const { own, event, wire } = sent();
  // Sealed again the same event has other bytes.
  const other = what === 'data' ? { data: sealed(event).data } : change;
  expect(own.take({ ...recordOf(wire), ...other })).toBeNull();
  expect(own.takeForgotten()).toEqual([7]);
  expect(own.takeForgotten()).toEqual([]);
});

test('knows nothing by another id', () => {
  const { own, wire } = sent();
  expect(own.take({ ...recordOf(wire), id: 'other' })).toBeNull();
  expect(own.takeForgotten()).toEqual([]);
});

test('has the bytes that were made for the very same event, until it is heard', () => {
  const { own, event, wire } = sent();
  expect(own.dataOf({ ...event })).toBe(wire);
  expect(own.dataOf({ ...event, json: '{}' })).toBeUndefined();
  expect(own.dataOf({ ...event, meta: { ...meta, keyId: 'key_2' } })).toBeUndefined();
  own.take(recordOf(wire));
  expect(own.dataOf(event)).toBeUndefined();
});

test('an event that is sent again is known by its new number', () => {
  const { own, event, wire } = sent();
  own.add(STREAM, [event], [wire], 9);
  expect(own.takeForgotten()).toEqual([7]);
  own.refused([event], 7);
  expect(own.take(recordOf(wire))).toBe(9);
});

test('forgets what was refused', () => {
  const { own, event, wire } = sent();
  own.refused([event], 7);
  expect(own.takeForgotten()).toEqual([7]);
  expect(own.take(recordOf(wire))).toBeNull();
});

test('forgets what a destroyed key has sealed', () => {
  const { own, wire } = sent();
  own.forgetSealedWith(['key_2', key.id]);
  expect(own.takeForgotten()).toEqual([7]);
  expect(own.take(recordOf(wire))).toBeNull();
});

test.each([
  ['events', 6_000, 'a word', 5_000],
  ['characters', 20, 'x'.repeat(1024 * 1024), 11],
])('keeps a bounded number of %s, the last ones, and says which go', (_, sent, text, kept) => {
  const own = new OwnEvents();
  const events = Array.from({ length: sent }, () => eventOf(text));
  const wires = events.map(sealed);
  for (const [i, event] of events.entries()) own.add(STREAM, [event], [wires[i]!], i);
  expect(own.takeForgotten()).toEqual(Array.from({ length: sent - kept }, (_, i) => i));
  const known = wires.map((wire) => own.take(recordOf(wire)));
  expect(known).toEqual(Array.from({ length: sent }, (_, i) => (i < sent - kept ? null : i)));
});

test('keeps nothing of what comes with bytes of its own', () => {
  const own = new OwnEvents();
  const event = { ...eventOf(), raw: { data: 'x', commitment: '', prev: '' } };
  const wire = wireEventOf(event, wireDataOf(null, 's', event), '');
  own.add(STREAM, [event], [wire], 3);
  expect(own.takeForgotten()).toEqual([3]);
  expect(own.take(recordOf(wire))).toBeNull();
});
