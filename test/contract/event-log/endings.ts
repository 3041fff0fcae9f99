import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { collect, LogUnavailable } from '#event-log';
import {
  type Acknowledged,
  eventsOf,
  freshStream,
  idsOf,
  type LogHarness,
  type MakeLogHarness,
  take,
} from './harness.js';

/** Closing, opening again, and dying. */
export function endingContract(makeHarness: MakeLogHarness): void {
  let harness: LogHarness;
  beforeEach(async () => {
    harness = await makeHarness();
  });
  afterEach(() => harness.dispose());

  test('close lets the appends under way finish, ends the subscriptions and refuses what comes later', async () => {
    const { log } = harness;
    const stream = freshStream();
    await log.append(stream, eventsOf(1), { expected: 'no_stream' });
    const { signal } = new AbortController();
    const after = await log.head();
    const waiting = [
      log.subscribeStream(stream, { after: 0, signal })[Symbol.asyncIterator](),
      log.subscribeAll({ after, prefixes: ['never'], signal })[Symbol.asyncIterator](),
    ].map((subscription) => subscription.next());
    const appends = Array.from({ length: 20 }, () =>
      log.append(freshStream(), eventsOf(2), { expected: 'no_stream' }),
    );
    await log.close();
    expect((await Promise.all(appends)).map((result) => result.kind)).toEqual(Array(20).fill('appended'));
    for (const next of waiting) {
      const { done, value } = await next;
      if (done !== true) expect(value).toMatchObject({ events: [] });
    }
    await expect(log.append(stream, eventsOf(1), { expected: 'any' })).rejects.toBeInstanceOf(LogUnavailable);
    await expect(collect(log.readStream(stream))).rejects.toBeInstanceOf(LogUnavailable);
    await expect(log.head()).rejects.toBeInstanceOf(LogUnavailable);
    expect(await take(log.subscribeStream(stream, { signal }), 1)).toEqual([]);
    expect(await log.health()).toMatchObject({ ok: false });
    await log.close();
  });

  test('a log that was closed and opened is the same log', async () => {
    if (harness.reopen === undefined) return;
    const stream = freshStream();
    const batch = eventsOf(3);
    const first = await harness.log.append(stream, batch, { expected: 'no_stream' });
    const { logId } = harness.log;
    const head = await harness.log.head();
    const log = await harness.reopen();
    expect(log.logId).toBe(logId);
    expect(await log.head()).toBe(head);
    expect(idsOf(await collect(log.readStream(stream)))).toEqual(idsOf(batch));
    expect(await log.append(stream, batch, { expected: 'no_stream' })).toEqual(first);
    expect(await log.append(stream, eventsOf(1), { expected: 0 })).toEqual({ kind: 'conflict', actual: 2 });
    const { signal } = new AbortController();
    const taking = take(log.subscribeAll({ after: head, signal }), 2);
    const later = eventsOf(2);
    await log.append(stream, later, { expected: 2 });
    expect(idsOf(await taking)).toEqual(idsOf(later));
  });

  test('what was acknowledged is there after kill -9, and no stream has a gap', async () => {
    if (harness.startWriter === undefined || harness.reopen === undefined) return;
    for (let round = 0; round < 3; round++) {
      const tag = freshStream();
      await harness.log.close();
      const writer = await harness.startWriter(tag);
      await writer.acknowledgedMoreThan(200 * (round + 1));
      await writer.kill();
      const log = await harness.reopen();
      await log.append(tag, eventsOf(1), { expected: 'no_stream' });
      for (const [stream, appends] of Map.groupBy(writer.acknowledged, ({ stream }) => stream)) {
        const events = await collect(log.readStream(stream));
        expect(events.map((event) => event.revision)).toEqual([...events.keys()]);
        for (const { first, ids } of appends satisfies Acknowledged[])
          expect(idsOf(events.slice(first, first + ids.length))).toEqual(ids);
      }
    }
  });
}
