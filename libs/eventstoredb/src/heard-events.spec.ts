import { expect, test } from '@jest/globals';
import { SilentLogger, SystemClock } from '#platform';
import {
  newEvent,
  LogUnavailable,
  ContentKey,
  ContentKeys,
  type KnownKey,
  sealData,
  KnownKeys,
} from '#event-log';
import { type HeardEvent, HeardEvents } from './heard-events.js';
import { SentEvents } from './sent-events.js';
import { until } from '../../../test/support/until.js';

const key = new ContentKey('key_1', Buffer.alloc(32, 1));
const meta = { schemaVersion: 1, project: 'p', actor: 'a', keyId: key.id };

/** Keys that are in memory once they were loaded. */
class SlowKeys extends ContentKeys {
  readonly known = new Map<string, KnownKey>();
  failures = 0;

  override peek = (id: string): KnownKey | undefined => this.known.get(id);
  override async load(): Promise<void> {
    await Promise.resolve();
    if (this.failures-- > 0) throw new LogUnavailable('the store is away');
    this.known.set(key.id, key);
  }
  override draw = (): Promise<string> => Promise.reject(new Error('not here'));
  override async destroy(id: string): Promise<void> {
    this.known.set(id, 'destroyed');
  }
  override placeBelow = (): Promise<void> => Promise.reject(new Error('not here'));
  override destroyTree = (id: string): Promise<void> => this.destroy(id);
}

class ImpatientClock extends SystemClock {
  override timer(_ms: number, fire: () => void): () => void {
    return super.timer(1, fire);
  }
}

function setUp() {
  const keys = new SlowKeys();
  const sent = new SentEvents(undefined);
  const heard: HeardEvent[] = [];
  const given: string[] = [];
  const known = new KnownKeys(keys, (request) => void given.push(request.kind));
  const hearing = new HeardEvents(
    sent,
    { keys, known, upcast: undefined },
    { clock: new ImpatientClock(), logger: new SilentLogger() },
    (events) => void heard.push(...events),
  );
  return { keys, sent, heard, given, hearing };
}

const sealed = (position: number) => {
  const event = newEvent({ id: `e${position}`, type: 't', time: 1, data: { position } }, meta);
  const data = sealData(key, 's', event).data as Buffer;
  return [position, position, event.id, 't', 1, new Uint8Array(data), JSON.stringify(meta), 's'];
};
const open = (position: number) => [
  position,
  position,
  `e${position}`,
  't',
  1,
  `{"position":${position}}`,
  JSON.stringify(meta),
  's',
];
const nothing = { kind: 'heard', own: [], rows: [], forgotten: [] } as const;

test('what needs a key waits for it, and everything behind it waits too, also over a store that is away', async () => {
  const { keys, sent, heard, given, hearing } = setUp();
  keys.failures = 2;
  sent.add('s', [newEvent({ id: 'e2', type: 't', time: 1, data: { position: 2 } }, meta)]);
  hearing.take({ ...nothing, rows: sealed(1), unknown: [key.id] });
  hearing.take({ ...nothing, own: [0, 2, 2] });
  hearing.take({ ...nothing, rows: sealed(3), unknown: [key.id] });
  expect(heard).toEqual([]);
  await until(() => heard.length === 3);
  expect(heard.map(({ event }) => event.data)).toEqual([{ position: 1 }, { position: 2 }, { position: 3 }]);
  expect(given).toEqual(['keys']);
});

test("own events and others' come in the order of their positions", () => {
  const { sent, heard, hearing, keys } = setUp();
  keys.known.set(key.id, key);
  const first = sent.add(
    's',
    [2, 4].map((n) => newEvent({ id: `e${n}`, type: 't', time: 1, data: {} }, meta)),
  );
  const own = [first, 2, 2, first + 1, 4, 4];
  hearing.take({ ...nothing, own, rows: [...open(1), ...open(3), ...open(5)] });
  expect(heard.map(({ event }) => event.position)).toEqual([1, 2, 3, 4, 5]);
});

test('what was opened before its key was destroyed is not shown after it', async () => {
  const { heard, hearing, keys } = setUp();
  await keys.destroy(key.id);
  hearing.take({ ...nothing, rows: open(1) });
  hearing.take({ ...nothing, rows: sealed(2), unknown: [key.id] });
  expect(heard.map(({ event }) => [event.json, event.isErased])).toEqual([
    ['{}', true],
    ['{}', true],
  ]);
});
