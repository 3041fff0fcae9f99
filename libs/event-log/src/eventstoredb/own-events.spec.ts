import { expect, test } from '@jest/globals';
import { newEvent } from '../envelope.js';
import { ContentKey } from '../keys/content-key.js';
import { OwnEvents } from './own-events.js';
import type { ServerRecord } from './server-answers.js';
import { type WireEvent, wireDataOf, wireEventOf } from './wire-event.js';

const PREFIX = 'annals.';
const key = new ContentKey('key_1', Buffer.alloc(32, 1));
const meta = { schemaVersion: 1, project: 'p', actor: 'a', keyId: key.id };
let count = 0;

const eventOf = (text = 'a word') =>
  newEvent({ id: `e${++count}`, type: 't', time: 1, data: { text } }, meta);

function sealed(event: ReturnType<typeof eventOf>): WireEvent {
  return wireEventOf(event, wireDataOf(key, 's', event), '');
}

const recordOf = ({ id, type, metadata, data }: WireEvent): ServerRecord => ({
  id,
  type,
  metadata,
  data,
  stream: `${PREFIX}s`,
  revision: 0,
  position: 1,
  created: 0,
});

test('knows what was sent, once', () => {
  const own = new OwnEvents(PREFIX);
  const event = eventOf();
  const wire = sealed(event);
  own.add('s', [event], [wire]);
  expect(own.take(recordOf(wire))).toBe(event);
  expect(own.take(recordOf(wire))).toBeNull();
});

test.each([
  ['data', {}],
  ['metadata', { metadata: '{}' }],
  ['type', { type: 'other' }],
  ['stream', { stream: `${PREFIX}other` }],
  ['id', { id: 'other' }],
])('does not know what has another %s', (what, change) => {
  const own = new OwnEvents(PREFIX);
  const event = eventOf();
  const wire = sealed(event);
  own.add('s', [event], [wire]);
  // Sealed again the same event has other bytes.
  const other = what === 'data' ? { data: sealed(event).data } : change;
  expect(own.take({ ...recordOf(wire), ...other })).toBeNull();
});

test('forgets what a destroyed key has sealed', () => {
  const own = new OwnEvents(PREFIX);
  const event = eventOf();
  const wire = sealed(event);
  own.add('s', [event], [wire]);
  own.forget(key.id);
  expect(own.take(recordOf(wire))).toBeNull();
});

test.each([
  ['events', 6_000, 'a word', 5_000],
  ['characters', 20, 'x'.repeat(1024 * 1024), 11],
])('keeps a bounded number of %s, the last ones', (_, sent, text, kept) => {
  const own = new OwnEvents(PREFIX);
  const events = Array.from({ length: sent }, () => eventOf(text));
  const wires = events.map(sealed);
  for (const [i, event] of events.entries()) own.add('s', [event], [wires[i]!]);
  const known = wires.map((wire) => own.take(recordOf(wire)) !== null);
  expect(known.filter(Boolean)).toHaveLength(kept);
  expect(known.lastIndexOf(false)).toBe(sent - kept - 1);
});

test('keeps nothing of what comes with bytes of its own', () => {
  const own = new OwnEvents(PREFIX);
  const event = { ...eventOf(), raw: { data: 'x', commitment: '', prev: '' } };
  const wire = wireEventOf(event, wireDataOf(null, 's', event), '');
  own.add('s', [event], [wire]);
  expect(own.take(recordOf(wire))).toBeNull();
});
