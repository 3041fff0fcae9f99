import { describe, expect, test } from '@jest/globals';
import type { Batch, EventLog, NewEvent, RecordedEvent } from '#event-log';
import { eventOf, eventsOf, freshStream, idsOf, take } from './harness.js';

export function liveContract(log: () => EventLog): void {
  const { signal } = new AbortController();
  const writeSlowly = async (stream: string, from: number, count: number): Promise<NewEvent[]> => {
    const events = eventsOf(count);
    for (const [n, event] of events.entries())
      await log().append(stream, [event], { expected: from + n - 1 });
    return events;
  };

  describe('of a stream', () => {
    test('begins after the given revision, old events first, then live ones', async () => {
      const stream = freshStream();
      const old = await writeSlowly(stream, 0, 5);
      for (const after of [-1, 0, 3, 4]) {
        const taking = take(log().subscribeStream(stream, { after, signal }), 4 - after + 1);
        if (after === -1) await log().append(stream, [eventOf()], { expected: 4 });
        const taken = await taking;
        expect(idsOf(taken.slice(0, 4 - after))).toEqual(idsOf(old.slice(after + 1)));
        expect(taken.map((event) => event.revision)).toEqual(
          Array.from({ length: 5 - after }, (_, n) => after + 1 + n),
        );
      }
    });

    test('may begin before the stream does', async () => {
      const stream = freshStream();
      const taking = take(log().subscribeStream(stream, { signal }), 6);
      const given = await writeSlowly(stream, 0, 6);
      expect(idsOf(await taking)).toEqual(idsOf(given));
    });

    test('gives only what follows a revision that is not there yet', async () => {
      const stream = freshStream();
      const taking = take(log().subscribeStream(stream, { after: 3, signal }), 2);
      const given = await writeSlowly(stream, 0, 6);
      expect(idsOf(await taking)).toEqual(idsOf(given.slice(4)));
    });

    test('goes on from every revision of a recorded stream', async () => {
      const stream = freshStream();
      const given = await writeSlowly(stream, 0, 40);
      for (let after = -1; after < 39; after++)
        expect(idsOf(await take(log().subscribeStream(stream, { after, signal }), 39 - after))).toEqual(
          idsOf(given.slice(after + 1)),
        );
    });

    test('live events are those that a read gives', async () => {
      const stream = freshStream();
      await log().append(stream, [eventOf({ n: 1, text: 'né' })], { expected: 'no_stream' });
      const [live] = await take(log().subscribeStream(stream, { signal }), 1);
      for await (const [stored] of log().readStream(stream))
        expect(fieldsOf(live!)).toEqual(fieldsOf(stored!));
    });

    test('a slow subscriber misses nothing', async () => {
      const stream = freshStream();
      const text = 'z'.repeat(20_000);
      const subscription = log().subscribeStream(stream, { signal })[Symbol.asyncIterator]();
      const next = subscription.next();
      const ids: string[] = [];
      // 20 MB: more than any tail may hold.
      for (let n = 0; n < 1_000; n += 40) {
        const events = Array.from({ length: 40 }, () => eventOf({ text }));
        await log().append(stream, events, { expected: n - 1 });
        ids.push(...idsOf(events));
      }
      const seen: RecordedEvent[] = [...((await next).value as RecordedEvent[])];
      while (seen.length < ids.length) seen.push(...((await subscription.next()).value as RecordedEvent[]));
      expect(idsOf(seen)).toEqual(ids);
      await subscription.return?.();
    });

    test('subscribers who stand at different places do not disturb each other', async () => {
      const stream = freshStream();
      const subscribers = Array.from({ length: 20 }, (_, n) =>
        take(log().subscribeStream(stream, { after: n - 1, signal }), 30 - n),
      );
      const given = await writeSlowly(stream, 0, 30);
      for (const [n, taken] of (await Promise.all(subscribers)).entries())
        expect(idsOf(taken)).toEqual(idsOf(given.slice(n)));
    });
  });

  describe('of the whole log', () => {
    test('with prefixes gives what matches, and moves over the rest', async () => {
      const tag = freshStream();
      const after = await log().head();
      await log().append(`${tag}-a-1`, eventsOf(2), { expected: 'no_stream' });
      await log().append(`${tag}-b-1`, eventsOf(700), { expected: 'no_stream' });
      const prefixes = [`${tag}-a-`, `${tag}-c-`];
      const taking = take(log().subscribeAll({ after, prefixes, signal }), 4);
      await log().append(`${tag}-c-1`, eventsOf(1), { expected: 'no_stream' });
      await log().append(`${tag}-a-1`, eventsOf(1), { expected: 1 });
      expect((await taking).map((event) => event.stream.slice(tag.length))).toEqual([
        '-a-1',
        '-a-1',
        '-c-1',
        '-a-1',
      ]);
    });

    test('says how far it got although nothing matches', async () => {
      const after = await log().head();
      const subscription = log().subscribeAll({ after, prefixes: [`${freshStream()}-never`], signal });
      const batches = subscription[Symbol.asyncIterator]();
      const reach = async (position: number) => {
        for (let seen = 0; seen < position;) {
          const { value } = (await batches.next()) as IteratorYieldResult<Batch>;
          expect(value.events).toEqual([]);
          seen = value.position;
        }
      };
      for (const count of [1, 600, 3]) {
        const result = await log().append(freshStream(), eventsOf(count), { expected: 'any' });
        await reach(result.kind === 'appended' ? result.position : 0);
      }
      await batches.return?.();
    });

    test('resumes at every position of a recorded log', async () => {
      const tag = freshStream();
      const start = await log().head();
      for (let n = 0; n < 15; n++)
        await log().append(`${tag}-${n % 4}`, eventsOf(1 + (n % 3)), { expected: 'any' });
      const prefixes = [tag];
      const all = await take(log().subscribeAll({ after: start, prefixes, signal }), 30);
      for (const [n, { position }] of all.entries())
        expect(idsOf(await take(log().subscribeAll({ after: position, prefixes, signal }), 29 - n))).toEqual(
          idsOf(all.slice(n + 1)),
        );
    });

    test('no batch has more than 500 events', async () => {
      const tag = freshStream();
      const after = await log().head();
      for (let n = 0; n < 4; n++) await log().append(`${tag}-${n}`, eventsOf(400), { expected: 'no_stream' });
      let count = 0;
      for await (const batch of log().subscribeAll({ after, prefixes: [tag], signal })) {
        expect(batch.events.length).toBeLessThanOrEqual(500);
        if ((count += batch.events.length) === 1_600) break;
      }
    });
  });

  describe('ends without an error when its signal is aborted', () => {
    test.each(['before', 'while waiting', 'while reading'])('%s', async (when) => {
      const stream = freshStream();
      await log().append(stream, eventsOf(3), { expected: 'no_stream' });
      for (const kind of ['stream', 'all'] as const) {
        const controller = new AbortController();
        const { signal } = controller;
        if (when === 'before') controller.abort();
        const after = when === 'while waiting' ? await log().head() : 0;
        const subscription =
          kind === 'stream'
            ? log().subscribeStream(stream, { after: when === 'while waiting' ? 2 : -1, signal })
            : log().subscribeAll({ after, signal });
        const next = subscription[Symbol.asyncIterator]().next();
        if (when !== 'before') setImmediate(() => controller.abort());
        if (when !== 'while reading') expect(await next).toEqual({ value: undefined, done: true });
        else expect((await next).done).toBeDefined();
      }
    });
  });
}

const fieldsOf = ({ id, type, time, json, meta, data, stream, revision, position }: RecordedEvent) => {
  return { id, type, time, json, meta, data, stream, revision, position };
};
