import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { appendUntilDefinite } from '../append-until-definite.js';
import { StoredEvent } from '../codec.js';
import { type EventMeta, type NewEvent, newEvent, type RecordedEvent } from '../envelope.js';
import { type EventLog, LogRefused } from '../event-log.js';
import { SqliteEventLog } from '../sqlite/sqlite-event-log.js';
import { compareLogs } from './compare-logs.js';
import { copyLog } from './copy-log.js';
import { verifyLog } from './verify-log.js';

const META: EventMeta = { schemaVersion: 1, project: 'p', actor: 'k' };
const random = new SystemRandom();
const eventOf = (data: object = {}, meta = META) =>
  newEvent({ id: random.uuid(), type: 'thing_done', time: 1_750_000_000_000, data }, meta);

const opened: { log: SqliteEventLog; folder: string }[] = [];
afterEach(async () => {
  for (const { log, folder } of opened.splice(0)) {
    await log.close();
    rmSync(folder, { recursive: true });
  }
});

async function openLog(): Promise<SqliteEventLog> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-operations-'));
  const log = await SqliteEventLog.open({ folder, logger: new SilentLogger(), reserveBytes: 0 });
  opened.push({ log, folder });
  return log;
}

async function filled(): Promise<SqliteEventLog> {
  const log = await openLog();
  for (let n = 0; n < 60; n++) {
    const meta = { ...META, run: `run_${n % 5}`, correlationId: `c_${n}`, causationId: `e_${n}` };
    const events = Array.from({ length: 1 + (n % 3) }, (_, i) => eventOf({ n, i, text: 'né\0' }, meta));
    await log.append(`s-${n % 7}`, events, { expected: 'any' });
  }
  await log.append(
    'large',
    [1, 2, 3].map((n) => eventOf({ n, text: 'x'.repeat(250_000) })),
    { expected: -1 },
  );
  await log.append(
    'large',
    [4, 5, 6].map((n) => eventOf({ n, text: 'x'.repeat(250_000) })),
    { expected: 2 },
  );
  return log;
}

const SAME = { streams: [], isSameOrder: true };

const append = (to: EventLog) => (stream: string, events: readonly NewEvent[], expected: number) =>
  appendUntilDefinite(to, new SystemClock(), random, stream, events, { expected });

describe('verifying', () => {
  test('a sound log has no fault, and its progress ends at the head', async () => {
    const log = await filled();
    const progress: number[] = [];
    const report = await verifyLog(log, { onProgress: (position) => progress.push(position) });
    expect(report).toEqual({ events: 126, streams: 8, proven: 0, erased: 0, faultCount: 0, faults: [] });
    expect(progress.at(-1)).toBe(await log.head());
  });

  test('an empty log is sound', async () => {
    expect(await verifyLog(await openLog())).toMatchObject({ events: 0, faultCount: 0 });
  });

  const stored = (fields: Partial<RecordedEvent>): StoredEvent => {
    const { stream = 's', revision = 0, position = 1, ...rest } = fields;
    return new StoredEvent({ ...eventOf(), ...rest }, { stream, revision, position });
  };
  const verify = (events: RecordedEvent[]) =>
    verifyLog({
      head: async () => 100,
      readAll: async function* () {
        yield { events, position: 100 };
      },
    } as Partial<EventLog> as EventLog);

  test.each<[string, RecordedEvent[]]>([
    ['revision 1 should come here', [stored({}), stored({ revision: 2, position: 2 })]],
    ['revision 1 should come here', [stored({}), stored({ position: 2 })]],
    [
      'its position does not rise: 5 comes before it',
      [stored({ position: 5 }), stored({ revision: 1, position: 4 })],
    ],
    ['its id is not a UUID', [stored({ id: 'x' })]],
    ['its type "Thing" is not a name in snake_case', [stored({ type: 'Thing' })]],
    ['its time is not a number of milliseconds', [stored({ time: NaN })]],
    ['its schema version is 0', [stored({ meta: { ...META, schemaVersion: 0 } })]],
    ['it names no project', [stored({ meta: { ...META, project: '' } })]],
    ['it names no actor', [stored({ meta: { ...META, actor: undefined as never } })]],
    ['its data are not a JSON object', [stored({ json: '[1]' })]],
    ['its data are not a JSON object', [stored({ json: '{"a":' })]],
  ])('says: %s', async (what, events) => {
    const report = await verify(events);
    expect(report.faultCount).toBe(1);
    expect(report.faults[0]?.what).toBe(what);
  });

  test.each(['relay-callbacks', 'lease-process'])('takes %s, which belongs to no project', async (stream) => {
    const ofTheHouse = stored({ stream, meta: { ...META, project: '' } });
    expect((await verify([ofTheHouse])).faults).toEqual([]);
  });

  test('takes what nobody did: what has expired has no actor', async () => {
    expect((await verify([stored({ meta: { ...META, actor: '' } })])).faults).toEqual([]);
  });

  test('asks its checks in the order of the log, and counts what it does not keep', async () => {
    const log = await filled();
    const seen: number[] = [];
    const report = await verifyLog(log, {
      checks: [({ position }) => (seen.push(position), position % 2 === 0 ? 'even' : undefined)],
      maxFaults: 3,
    });
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(report).toMatchObject({ faultCount: 63, faults: [{ what: 'even' }, {}, {}] });
  });
});

describe('copying', () => {
  test('keeps everything but positions, in the same order', async () => {
    const [from, to] = [await filled(), await openLog()];
    expect(await copyLog(from, to, { append: append(to) })).toEqual({ events: 126, streams: 8 });
    expect(await compareLogs(from, to)).toEqual(SAME);
    const ids = async (log: EventLog) => {
      const all: string[] = [];
      for await (const { events } of log.readAll()) all.push(...events.map(({ id }) => id));
      return all;
    };
    expect(await ids(to)).toEqual(await ids(from));
  });

  test('keeps the order also where the target stores what was sent later first', async () => {
    const [from, to] = [await filled(), await openLog()];
    let sent = 0;
    const overtaking = async (...args: Parameters<ReturnType<typeof append>>) => {
      // Whoever was sent while this one waits is stored before it.
      if (sent++ % 3 === 0) await to.head();
      return append(to)(...args);
    };
    await copyLog(from, to, { append: overtaking });
    expect(await compareLogs(from, to)).toEqual(SAME);
  });

  test('refuses a log that is not empty', async () => {
    const [from, to] = [await filled(), await filled()];
    await expect(copyLog(from, to, { append: append(to) })).rejects.toBeInstanceOf(LogRefused);
    await expect(copyLog(from, to, { append: append(to), isResumed: true })).rejects.toThrow(
      /holds another event at revision 0 of s-0/,
    );
  });

  test.each([1, 7, 30])('goes on after it was broken off at append %i', async (count) => {
    const [from, to] = [await filled(), await openLog()];
    let left = count;
    const breaking = async (...args: Parameters<ReturnType<typeof append>>) => {
      if (left-- > 1) return append(to)(...args);
      // Broken in the middle of a piece, as under other limits.
      await append(to)(args[0], args[1].slice(0, 2), args[2]);
      throw new Error('broken off');
    };
    await expect(copyLog(from, to, { append: breaking })).rejects.toThrow('broken off');
    await copyLog(from, to, { append: append(to), isResumed: true });
    expect(await compareLogs(from, to)).toEqual(SAME);
  });

  test('what differs is named', async () => {
    const [from, to] = [await filled(), await openLog()];
    await copyLog(from, to, { append: append(to) });
    await to.append('s-1', [eventOf()], { expected: 'stream_exists' });
    await to.append('new', [eventOf()], { expected: 'no_stream' });
    expect(await compareLogs(from, to)).toEqual({ streams: ['s-1', 'new'], isSameOrder: false });
  });

  test('the same streams in another order are not the same', async () => {
    const [one, other] = [await openLog(), await openLog()];
    const [a, b] = [eventOf(), eventOf()];
    await one.append('a', [a], { expected: 'no_stream' });
    await one.append('b', [b], { expected: 'no_stream' });
    await other.append('b', [b], { expected: 'no_stream' });
    await other.append('a', [a], { expected: 'no_stream' });
    expect(await compareLogs(one, other)).toEqual({ streams: [], isSameOrder: false });
  });
});
