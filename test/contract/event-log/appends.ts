import { describe, expect, test } from '@jest/globals';
import {
  AppendOutcomeUnknown,
  collect,
  type EventLog,
  EventTooLarge,
  MAX_APPEND_BYTES,
  MAX_EVENT_BYTES,
} from '#event-log';
import { eventOf, eventsOf, freshStream, idsOf } from './harness.js';

export function appendContract(log: () => EventLog): void {
  const read = (stream: string) => collect(log().readStream(stream));

  test('a new stream begins at revision 0 and an append counts on', async () => {
    const stream = freshStream();
    const first = await log().append(stream, eventsOf(3), { expected: 'no_stream' });
    const second = await log().append(stream, eventsOf(2), { expected: 2 });
    expect(first).toMatchObject({ kind: 'appended', first: 0, last: 2 });
    expect(second).toMatchObject({ kind: 'appended', first: 3, last: 4 });
    expect((await read(stream)).map((event) => event.revision)).toEqual([0, 1, 2, 3, 4]);
  });

  test('the position of an append is that of its last event, and rises', async () => {
    const stream = freshStream();
    const first = await log().append(stream, eventsOf(3), { expected: -1 });
    const second = await log().append(freshStream(), eventsOf(1), { expected: 'no_stream' });
    const events = await read(stream);
    expect(first).toMatchObject({ position: events.at(-1)?.position });
    expect(second.kind === 'appended' && first.kind === 'appended' && second.position > first.position).toBe(
      true,
    );
    expect(await log().head()).toBeGreaterThanOrEqual(second.kind === 'appended' ? second.position : 0);
  });

  test('an event comes back as it was given', async () => {
    const stream = freshStream();
    const texts = [
      'line\u2028and\u2029paragraph',
      'U+0000 \0 within',
      'emoji 👩‍👩‍👧‍👦',
      '"quotes\\',
      'x'.repeat(100_000),
    ];
    const given = [eventOf({ texts, deep: { list: [1, null, true, 1.5e300] } }), eventOf({})];
    await log().append(stream, given, { expected: 'no_stream' });
    const events = await read(stream);
    expect(
      events.map(({ id, type, time, json, meta, data, stream }) => ({
        id,
        type,
        time,
        json,
        meta,
        data,
        stream,
      })),
    ).toEqual(given.map((event) => ({ ...event, stream })));
  });

  describe('expected revisions', () => {
    const cases = [
      { expected: 'no_stream', onNone: 'appended', onTwo: 'conflict' },
      { expected: -1, onNone: 'appended', onTwo: 'conflict' },
      { expected: 'stream_exists', onNone: 'conflict', onTwo: 'appended' },
      { expected: 'any', onNone: 'appended', onTwo: 'appended' },
      { expected: 0, onNone: 'conflict', onTwo: 'conflict' },
      { expected: 1, onNone: 'conflict', onTwo: 'appended' },
      { expected: 7, onNone: 'conflict', onTwo: 'conflict' },
    ] as const;
    test.each(cases)(
      '$expected: $onNone without a stream, $onTwo with two events',
      async ({ expected, onNone, onTwo }) => {
        const none = await log().append(freshStream(), eventsOf(1), { expected });
        expect(none).toMatchObject(
          onNone === 'conflict' ? { kind: 'conflict', actual: -1 } : { kind: 'appended', first: 0 },
        );
        const stream = freshStream();
        await log().append(stream, eventsOf(2), { expected: 'no_stream' });
        const two = await log().append(stream, eventsOf(1), { expected });
        expect(two).toMatchObject(
          onTwo === 'conflict' ? { kind: 'conflict', actual: 1 } : { kind: 'appended', first: 2 },
        );
        expect(await read(stream)).toHaveLength(onTwo === 'conflict' ? 2 : 3);
      },
    );
  });

  describe('repeats', () => {
    test.each(['no_stream', 1] as const)(
      'the same batch again at %s is the same append, also after later ones',
      async (expected) => {
        const stream = freshStream();
        if (expected === 1) await log().append(stream, eventsOf(2), { expected: 'no_stream' });
        const batch = eventsOf(3);
        const first = await log().append(stream, batch, { expected });
        expect(await log().append(stream, batch, { expected })).toEqual(first);
        await log().append(stream, eventsOf(4), { expected: 'stream_exists' });
        expect(await log().append(stream, batch, { expected })).toEqual(first);
        expect(await read(stream)).toHaveLength(expected === 1 ? 9 : 7);
      },
    );

    test('repeats that wait side by side are stored once, and answered alike or as unknown', async () => {
      const stream = freshStream();
      const batch = eventsOf(2);
      const append = () => log().append(stream, batch, { expected: -1 });
      const results = await Promise.allSettled(Array.from({ length: 5 }, append));
      const again = await append();
      expect(again).toMatchObject({ kind: 'appended', first: 0, last: 1 });
      for (const result of results)
        if (result.status === 'fulfilled') expect(result.value).toEqual(again);
        else expect(result.reason).toBeInstanceOf(AppendOutcomeUnknown);
      expect(results.map(({ status }) => status)).toContain('fulfilled');
      expect(await read(stream)).toHaveLength(2);
    });

    test('the same ids at a later revision are stored again', async () => {
      const stream = freshStream();
      const batch = eventsOf(2);
      await log().append(stream, batch, { expected: 'no_stream' });
      await log().append(stream, batch, { expected: 1 });
      expect(idsOf(await read(stream))).toEqual([...idsOf(batch), ...idsOf(batch)]);
    });

    test('the same ids with other content keep the first content', async () => {
      const stream = freshStream();
      const id = eventOf().id;
      const first = await log().append(stream, [eventOf({ n: 1 }, id)], { expected: 'no_stream' });
      expect(await log().append(stream, [eventOf({ n: 2 }, id)], { expected: 'no_stream' })).toEqual(first);
      expect((await read(stream)).map((event) => event.data)).toEqual([{ n: 1 }]);
    });

    test('a batch of which only a part is stored conflicts', async () => {
      const stream = freshStream();
      const batch = eventsOf(3);
      await log().append(stream, batch, { expected: 'no_stream' });
      const longer = [...batch, eventOf()];
      const swapped = [batch[0]!, eventOf(), batch[2]!];
      for (const events of [longer, swapped, batch.toReversed()])
        expect(await log().append(stream, events, { expected: 'no_stream' })).toEqual({
          kind: 'conflict',
          actual: 2,
        });
      expect(idsOf(await read(stream))).toEqual(idsOf(batch));
    });
  });

  describe('sizes', () => {
    const ofBytes = (bytes: number) => eventOf({ text: 'x'.repeat(bytes) });

    test('an event or an append over its limit is refused, and the log goes on', async () => {
      const stream = freshStream();
      const refuse = async (events: ReturnType<typeof eventsOf>) =>
        expect(log().append(stream, events, { expected: 'any' })).rejects.toBeInstanceOf(EventTooLarge);
      await refuse([ofBytes(MAX_EVENT_BYTES)]);
      await refuse([eventOf({ text: 'é'.repeat(MAX_EVENT_BYTES / 2) })]);
      await refuse(Array.from({ length: 4 }, () => ofBytes(MAX_APPEND_BYTES / 4)));
      expect(await log().append(stream, eventsOf(1), { expected: 'no_stream' })).toMatchObject({
        kind: 'appended',
      });
    });

    test('just below the limits is stored', async () => {
      const stream = freshStream();
      const events = [250_000, 250_000, 250_000, 150_000].map(ofBytes);
      await log().append(stream, events, { expected: 'no_stream' });
      expect((await read(stream)).map((event) => event.json.length)).toEqual(
        events.map((event) => event.json.length),
      );
    });

    test('an append of nothing is refused', async () => {
      await expect(log().append(freshStream(), [], { expected: 'any' })).rejects.toBeInstanceOf(RangeError);
    });
  });
}
