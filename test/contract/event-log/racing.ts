import { expect, test } from '@jest/globals';
import { collect, type EventLog, type RecordedEvent } from '#event-log';
import { eventsOf, freshStream, idsOf, seeded, take } from './harness.js';

const WRITERS = 16;

/** Sixteen writers, some with a stream of their own, some fighting over shared ones. */
export function racingContract(log: () => EventLog): void {
  interface Written {
    readonly tag: string;
    readonly total: number;
    readonly acknowledged: Map<string, string[]>;
  }

  async function race(random: () => number, tag: string, each: number): Promise<Written> {
    const acknowledged = new Map<string, string[]>();
    let total = 0;
    const write = async (writer: number) => {
      const stream = `${tag}-${writer < 8 ? writer : 8 + (writer % 2)}`;
      let expected = -1;
      for (let n = 0; n < each;) {
        const events = eventsOf(1 + Math.floor(random() * 4));
        const result = await log().append(stream, events, { expected });
        if (result.kind === 'conflict') {
          expected = result.actual;
          continue;
        }
        n++;
        total += events.length;
        expected = result.last;
        const ids = acknowledged.get(stream) ?? [];
        acknowledged.set(stream, ids);
        for (const [i, { id }] of events.entries()) ids[result.first + i] = id;
        if (random() < 0.1) await new Promise((resolve) => setTimeout(resolve, random() * 4));
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    return { tag, total, acknowledged };
  }

  test('streams have no gaps, and position order is commit order', async () => {
    const start = await log().head();
    const { tag, total, acknowledged } = await race(seeded('position order'), freshStream(), 40);
    const events = await take(
      log().subscribeAll({ after: start, prefixes: [tag], signal: new AbortController().signal }),
      total,
    );
    expect(events).toHaveLength(total);
    for (const [stream, ids] of acknowledged) {
      const ofStream = events.filter((event) => event.stream === stream);
      expect(idsOf(ofStream)).toEqual(ids);
      expect(ofStream.map((event) => event.revision)).toEqual([...ids.keys()]);
      expect(idsOf(await collect(log().readStream(stream)))).toEqual(ids);
    }
  });

  test('an acknowledged append is before every append that began later', async () => {
    const tag = freshStream();
    let latest = 0;
    const write = async (writer: number) => {
      for (let n = 0; n < 30; n++) {
        const before = latest;
        const result = await log().append(`${tag}-${writer}`, eventsOf(2), { expected: 'any' });
        const position = result.kind === 'appended' ? result.position : 0;
        expect(position).toBeGreaterThan(before);
        latest = Math.max(latest, position);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  });

  test('subscribers of every kind and start get each event once, in order, from old to live', async () => {
    const random = seeded('catch-up to live');
    const start = await log().head();
    const tag = freshStream();
    const early = await race(random, `${tag}-0`, 15);
    const { signal } = new AbortController();
    const known = await take(log().subscribeAll({ after: start, prefixes: [tag], signal }), early.total);
    const starts = [
      start,
      ...Array.from({ length: 12 }, () => known[Math.floor(random() * known.length)]!.position),
    ];
    const lateTotal = Promise.withResolvers<number>();

    const ofLog = starts.map(async (after) => {
      const seen: RecordedEvent[] = [];
      const stop = new AbortController();
      const skipped = known.filter((event) => event.position <= after).length;
      const check = async () => {
        const total = await lateTotal.promise;
        if (seen.length >= early.total - skipped + total) stop.abort();
      };
      void lateTotal.promise.then(check);
      for await (const batch of log().subscribeAll({ after, prefixes: [tag], signal: stop.signal })) {
        seen.push(...batch.events);
        if (random() < 0.2) await new Promise((resolve) => setTimeout(resolve, random() * 5));
        void check();
      }
      return { after, seen };
    });
    const late = await race(random, `${tag}-1`, 30);
    const ofStreams = [...late.acknowledged].map(async ([stream, ids]) => {
      const after = Math.floor(random() * ids.length) - 1;
      const seen = await take(log().subscribeStream(stream, { after, signal }), ids.length - after - 1);
      expect(idsOf(seen)).toEqual(ids.slice(after + 1));
    });
    lateTotal.resolve(late.total);
    await Promise.all(ofStreams);
    const whole = await take(
      log().subscribeAll({ after: start, prefixes: [tag], signal }),
      early.total + late.total,
    );
    for (const { after, seen } of await Promise.all(ofLog))
      expect(idsOf(seen)).toEqual(idsOf(whole.filter((event) => event.position > after)));
  });
}
