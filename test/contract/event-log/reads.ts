import { beforeAll, describe, expect, test } from '@jest/globals';
import { collect, type EventLog, type NewEvent, type RecordedEvent } from '#event-log';
import { eventOf, eventsOf, freshStream, idsOf, META } from './harness.js';

/** More than a page of any adapter, in number and in bytes. */
const LENGTH = 1_207;

export function readContract(log: () => EventLog): void {
  const stream = freshStream();
  const given: NewEvent[] = [];

  beforeAll(async () => {
    while (given.length < LENGTH) {
      const events = eventsOf(Math.min(100, LENGTH - given.length));
      await log().append(stream, events, { expected: given.length - 1 });
      given.push(...events);
      // Neighbours, so that neither ids nor positions of the stream are in a row.
      await log().append(freshStream(), eventsOf(3), { expected: 'no_stream' });
    }
  });

  describe.each([
    { backwards: false, order: (ids: string[]) => ids },
    { backwards: true, order: (ids: string[]) => ids.toReversed() },
  ])('a stream, backwards: $backwards', ({ backwards, order }) => {
    test('the whole of it', async () => {
      expect(idsOf(await collect(log().readStream(stream, { backwards })))).toEqual(order(idsOf(given)));
    });

    test.each([0, 1, 499, 500, 501, 999, 1_000, 1_001, LENGTH - 2, LENGTH - 1])(
      'from after revision %i',
      async (after) => {
        const rest = backwards ? given.slice(0, after) : given.slice(after + 1);
        expect(idsOf(await collect(log().readStream(stream, { backwards, after })))).toEqual(
          order(idsOf(rest)),
        );
      },
    );

    test.each([1, 2, 499, 500, 501, 1_100, LENGTH, LENGTH + 1])('at most %i events', async (limit) => {
      const events = await collect(log().readStream(stream, { backwards, limit }));
      expect(idsOf(events)).toEqual(order(idsOf(given)).slice(0, limit));
    });

    test('a stream that is not there has no page', async () => {
      const pages: unknown[] = [];
      for await (const page of log().readStream(freshStream(), { backwards })) pages.push(page);
      expect(pages).toEqual([]);
    });
  });

  test('no page is empty', async () => {
    for await (const page of log().readStream(stream)) expect(page.length).toBeGreaterThan(0);
  });

  test('events that fill a page by their bytes come all', async () => {
    const large = freshStream();
    const text = 'y'.repeat(200_000);
    for (let n = 0; n < 12; n++) await log().append(large, [eventOf({ n, text })], { expected: n - 1 });
    const events = await collect(log().readStream(large));
    expect(events.map((event) => event.revision)).toEqual([...Array(12).keys()]);
    expect(events.every((event) => (event.data as { text: string }).text === text)).toBe(true);
  });

  test('each event keeps its own meta', async () => {
    const mixed = freshStream();
    const events = ['a', 'a', 'b', 'a', 'c', 'c'].map((run) => ({ ...eventOf(), meta: { ...META, run } }));
    await log().append(mixed, events, { expected: 'no_stream' });
    expect((await collect(log().readStream(mixed))).map((event) => event.meta.run)).toEqual([
      'a',
      'a',
      'b',
      'a',
      'c',
      'c',
    ]);
  });

  describe('the whole log', () => {
    const readAll = async (options?: { after?: number; limit?: number }) => {
      const events: RecordedEvent[] = [];
      for await (const batch of log().readAll(options)) events.push(...batch.events);
      return events;
    };

    test('positions rise, and each stream is in its own order', async () => {
      const events = await readAll();
      const positions = events.map((event) => event.position);
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
      expect(new Set(positions).size).toBe(positions.length);
      expect(idsOf(events.filter((event) => event.stream === stream))).toEqual(idsOf(given));
    });

    test('from after any event, with a limit', async () => {
      const events = await readAll();
      for (const at of [0, 1, 499, 500, 777, events.length - 2, events.length - 1]) {
        const rest = await readAll({ after: events[at]!.position, limit: 600 });
        expect(idsOf(rest)).toEqual(idsOf(events.slice(at + 1, at + 601)));
      }
    });

    test('each batch says how far it got', async () => {
      for await (const batch of log().readAll()) expect(batch.position).toBe(batch.events.at(-1)?.position);
    });
  });
}
