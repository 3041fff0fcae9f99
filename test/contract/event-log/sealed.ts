import { describe, expect, test } from '@jest/globals';
import {
  ContentErased,
  type ContentKeys,
  commitmentOf,
  type EventLog,
  type NewEvent,
  type RecordedEvent,
  StreamChain,
  collect,
  hashOfEvent,
} from '#event-log';
import { SealedEventLog, StreamKeys } from '#vault';
import { eventOf, idsOf, type LogHarness, take } from './harness.js';
import { randomUUID } from 'node:crypto';

const TEXT = 'six times seven, said in confidence';

const sealedStream = (): string => `session-${randomUUID()}`;

/** The chain of a stream as the log holds it: nothing where it holds. */
export async function brokenChain(log: EventLog, stream: string): Promise<string[]> {
  const chain = new StreamChain(stream);
  const broken: string[] = [];
  for await (const { events } of log.readAll({ isRaw: true }))
    for (const event of events) {
      if (event.stream !== stream) continue;
      const { raw } = event;
      if (raw === undefined) broken.push(`${event.revision} has no proof`);
      else if (raw.prev !== '' && raw.prev !== chain.prev)
        broken.push(`${event.revision} follows something else`);
      if (raw) chain.push(event, raw);
    }
  return broken;
}

/** As they stand, read by the stream and among all others, which is the same. */
async function rawOf(log: EventLog, stream: string): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for await (const { events } of log.readAll({ isRaw: true }))
    found.push(...events.filter((event) => event.stream === stream));
  const ofStream = await collect(log.readStream(stream, { isRaw: true }));
  expect(ofStream.map(({ id, raw }) => [id, raw])).toEqual(found.map(({ id, raw }) => [id, raw]));
  return found;
}

const placeOf = ({
  stream,
  revision,
  position,
}: Pick<RecordedEvent, 'stream' | 'revision' | 'position'>) => ({
  stream,
  revision,
  position,
});

/** What an adapter must do with events that name a key, and with the proofs of all of them. */
export function sealedContract(harness: () => LogHarness): void {
  const keys = (): ContentKeys => harness().keys;
  const sealed = (log = harness().log): EventLog => new SealedEventLog(log, new StreamKeys(log, keys()));

  test('sealed events read as they were written, and stand sealed', async () => {
    const stream = sealedStream();
    const events = [eventOf({ text: TEXT }), eventOf({ text: `${TEXT} \u{1f512} \ud800` })];
    const log = sealed();
    await log.append(stream, events, { expected: 'no_stream' });
    const read = await collect(harness().log.readStream(stream));
    expect(read.map(({ data }) => data)).toEqual(events.map(({ data }) => data));
    const keyId = read[0]?.meta.keyId ?? '';
    expect(read.map(({ meta }) => meta.keyId)).toEqual([keyId, keyId]);
    const key = keys().peek(keyId);
    for (const [i, { raw }] of (await rawOf(harness().log, stream)).entries()) {
      expect(typeof raw?.data).toBe('object');
      expect(Buffer.from(raw?.data as Uint8Array).includes('confidence')).toBe(false);
      const { id, json } = events[i]!;
      expect(raw?.commitment).toBe(commitmentOf(typeof key === 'object' ? key : null, id, json));
    }
  });

  test('each event refers to the one before, whoever appended it without a revision in between', async () => {
    const stream = sealedStream();
    const log = sealed();
    await log.append(stream, [eventOf(), eventOf()], { expected: 'no_stream' });
    await log.append(stream, [eventOf()], { expected: 'stream_exists' });
    await log.append(stream, [eventOf(), eventOf()], { expected: 'stream_exists' });
    expect(await log.append(stream, [eventOf()], { expected: 2 })).toMatchObject({ kind: 'conflict' });
    const retried = [eventOf(), eventOf()];
    expect(await log.append(stream, retried, { expected: 1 })).toMatchObject({ kind: 'conflict' });
    await log.append(stream, retried, { expected: 4 });
    await log.append(stream, [eventOf()], { expected: 6 });
    expect(await brokenChain(harness().log, stream)).toEqual([]);
    const prevs = (await rawOf(harness().log, stream)).map(({ raw }) => raw?.prev !== '');
    expect(prevs).toEqual([true, true, false, false, false, true, true, true]);
  });

  test('the hashes tell of every event what it is hashed to, wherever the reading begins', async () => {
    const stream = sealedStream();
    const log = sealed();
    await log.append(stream, [eventOf(), eventOf({ text: TEXT })], { expected: 'no_stream' });
    await log.append(`other-${stream}`, [eventOf()], { expected: 'any' });
    await log.append(stream, [eventOf()], { expected: 'stream_exists' });
    await log.append(
      stream,
      Array.from({ length: 250 }, () => eventOf()),
      { expected: 2 },
    );
    const batches = await Array.fromAsync(harness().log.readAll({ isRaw: true }));
    const all = batches.flatMap(({ events }) =>
      events.map((event) => ({ ...placeOf(event), hash: hashOfEvent(event, event.raw!) })),
    );
    const hashed = async (after: number) =>
      (await Array.fromAsync(log.readHashes(after))).flatMap(({ events }) =>
        events.map((event) => ({ ...placeOf(event), hash: Buffer.from(event.hash).toString('hex') })),
      );
    expect(await hashed(0)).toEqual(all);
    const [from, rest] = [all.at(-252)!.position, all.slice(-251)];
    expect(await hashed(from)).toEqual(rest);
    expect(await hashed(all.at(-1)!.position)).toEqual([]);
  });

  test('a repeat, with other content too, leaves the chain whole', async () => {
    const stream = sealedStream();
    const log = sealed();
    const first = [eventOf({ n: 1 })];
    await log.append(stream, first, { expected: 'no_stream' });
    await log.append(stream, [eventOf({ n: 2 }, first[0]!.id)], { expected: 'no_stream' });
    await log.append(stream, [eventOf()], { expected: 0 });
    expect(await brokenChain(harness().log, stream)).toEqual([]);
  });

  test('the chain goes on where another connection left it', async () => {
    const stream = sealedStream();
    await sealed().append(stream, [eventOf({ text: TEXT })], { expected: 'no_stream' });
    await sealed().append(stream, [eventOf()], { expected: 'stream_exists' });
    const log = sealed((await harness().reopen?.()) ?? harness().log);
    await log.append(stream, [eventOf()], { expected: 1 });
    expect(await brokenChain(log, stream)).toEqual([]);
    expect((await collect(log.readStream(stream)))[0]?.data).toEqual({ text: TEXT });
  });

  describe('when a key is destroyed', () => {
    const erase = async () => {
      const stream = sealedStream();
      const log = sealed();
      const events: NewEvent[] = [eventOf({ text: TEXT }), eventOf({ text: TEXT })];
      await log.append(stream, events, { expected: 'no_stream' });
      const [first] = await collect(log.readStream(stream));
      await keys().destroy(first?.meta.keyId ?? '');
      return { stream, log, events };
    };

    test('its events are placeholders, wherever they are read', async () => {
      const { stream, log, events } = await erase();
      const controller = new AbortController();
      const heard = await take(log.subscribeStream(stream, { signal: controller.signal }), 2);
      controller.abort();
      const read = await collect(log.readStream(stream));
      for (const list of [read, heard]) {
        expect(idsOf(list)).toEqual(idsOf(events));
        expect(list.map(({ isErased, data, json }) => ({ isErased, data, json }))).toEqual(
          events.map(() => ({ isErased: true, data: {}, json: '{}' })),
        );
      }
      expect(await brokenChain(log, stream)).toEqual([]);
    });

    test('nothing more is sealed with it, and what is said in the open still goes', async () => {
      const { stream, log } = await erase();
      await expect(log.append(stream, [eventOf()], { expected: 1 })).rejects.toBeInstanceOf(ContentErased);
      const open = { ...eventOf({}), type: 'session_erased' };
      expect(await log.append(stream, [open], { expected: 1 })).toMatchObject({ kind: 'appended', last: 2 });
      const last = (await collect(log.readStream(stream))).at(-1);
      expect(last).toMatchObject({ type: 'session_erased', isErased: false });
      expect(await brokenChain(log, stream)).toEqual([]);
    });
  });

  test('what is said in the open names no key, whatever it was made of', async () => {
    const stream = sealedStream();
    const log = sealed();
    const made = eventOf();
    const open = {
      ...eventOf({ cost: '1' }),
      type: 'model_called',
      meta: { ...made.meta, keyId: 'of another' },
    };
    await log.append(stream, [made, open], { expected: 'no_stream' });
    const [kept, clear] = await collect(log.readStream(stream));
    expect([typeof kept?.meta.keyId, clear?.meta.keyId]).toEqual(['string', undefined]);
    expect(clear?.data).toEqual({ cost: '1' });
    expect(await brokenChain(log, stream)).toEqual([]);
  });

  test('a raw copy is the same event, to the byte, also where it is erased', async () => {
    const stream = sealedStream();
    const log = sealed();
    await log.append(stream, [eventOf({ text: TEXT })], { expected: 'no_stream' });
    const [original] = await rawOf(harness().log, stream);
    await keys().destroy(original?.meta.keyId ?? '');
    const copied = `copy-of-${stream}`;
    await harness().log.append(copied, [original!], { expected: 'no_stream' });
    const [copy] = await rawOf(harness().log, copied);
    expect(Buffer.from(copy?.raw?.data as Uint8Array)).toEqual(
      Buffer.from(original?.raw?.data as Uint8Array),
    );
    expect(copy?.raw).toMatchObject({ commitment: original?.raw?.commitment, prev: original?.raw?.prev });
  });
}
