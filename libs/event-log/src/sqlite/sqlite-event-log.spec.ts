import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { appendUntilDefinite } from '../append-until-definite.js';
import { newEvent, type RecordedEvent } from '../envelope.js';
import { AppendOutcomeUnknown, collect, LogRefused } from '../event-log.js';
import { SqliteEventLog, type SqliteEventLogOptions } from './sqlite-event-log.js';

const clock = new SystemClock();
const random = new SystemRandom();
const meta = { schemaVersion: 1, project: 'p', actor: 'k' };
const event = (data: object = { n: 1 }) => newEvent({ id: random.uuid(), type: 't', time: 0, data }, meta);

let folder: string;
let logs: SqliteEventLog[];
const file = () => join(folder, 'log.db');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'annals-sqlite-'));
  logs = [];
});

afterEach(async () => {
  await Promise.all(logs.map((log) => log.close()));
  await rm(folder, { recursive: true });
});

async function open(options: Partial<SqliteEventLogOptions> = {}): Promise<SqliteEventLog> {
  const log = await SqliteEventLog.open({ folder, logger: new SilentLogger(), reserveBytes: 0, ...options });
  logs.push(log);
  return log;
}

describe('is refused at boot, with a reason, when', () => {
  const refuses = async (reason: RegExp) => {
    const error = (await open().catch((error: unknown) => error)) as Error;
    expect(error).toBeInstanceOf(LogRefused);
    expect(error.message).toMatch(reason);
    expect(error.message).not.toContain('\n');
  };
  const withEvents = async () => {
    const log = await open();
    for (let n = 0; n < 50; n++)
      await log.append(`s-${n}`, [event({ text: 'x'.repeat(2_000) })], { expected: 'no_stream' });
    await log.close();
  };

  test('this process has it open already', async () => {
    await open();
    await refuses(new RegExp(`${folder} is in use by process ${process.pid}`));
  });

  test('another process has it open', async () => {
    const log = await open();
    const script = `
      import { DatabaseSync } from 'node:sqlite';
      try { new DatabaseSync(process.argv[1]).prepare('SELECT * FROM log').all(); } catch (error) { console.log(error.errcode); }`;
    expect(
      execFileSync(process.execPath, ['--input-type=module', '-e', script, file()], { encoding: 'utf8' }),
    ).toBe('5\n');
    await log.append('s', [event()], { expected: 'no_stream' });
  });

  test('its file is no database', async () => {
    await writeFile(file(), 'Dear diary, '.repeat(1_000));
    await refuses(/log\.db is not a SQLite file/);
  });

  test('its file is another program’s', async () => {
    onFile('CREATE TABLE diary (day TEXT)');
    await refuses(/log\.db is a SQLite file of another program/);
  });

  test('its file is of a later version', async () => {
    await withEvents();
    onFile('PRAGMA user_version = 99');
    await refuses(/schema version 99, this program knows versions 2 and 3/);
  });

  test('its file was cut', async () => {
    await withEvents();
    await truncate(file(), 4096 * 10);
    await refuses(/log\.db is (cut short|damaged)/);
  });

  test('its file is missing beside its WAL', async () => {
    await withEvents();
    await writeFile(`${file()}-wal`, 'frames');
    await unlink(file());
    await refuses(/log\.db is missing/);
    expect(existsSync(`${file()}-wal`)).toBe(true);
  });
});

/** Something else that opened the file while it was closed. */
function onFile(...statements: readonly string[]): void {
  const db = new DatabaseSync(file());
  for (const statement of statements) db.exec(statement);
  db.close();
}

const idsOf = async (log: SqliteEventLog, stream: string, backwards = false): Promise<string[]> =>
  (await collect(log.readStream(stream, { backwards }))).map(({ id }) => id);

describe('the index of its streams', () => {
  const events = Array.from({ length: 6 }, (_, n) => event({ n }));
  const streamOf = (n: number): string => `s-${n % 2}`;
  const store = async () => {
    const log = await open();
    for (const [n, one] of events.entries()) await log.append(streamOf(n), [one], { expected: 'any' });
    await log.close();
  };
  const expected = (stream: string): string[] =>
    events.filter((_, n) => streamOf(n) === stream).map(({ id }) => id);

  test('is made from a file of version 2, which had another one', async () => {
    await store();
    onFile(
      'CREATE UNIQUE INDEX events_of_stream ON events (stream, revision)',
      'DROP TABLE places',
      'ALTER TABLE log DROP COLUMN placed_to',
      'PRAGMA user_version = 2',
    );
    const [log, last] = [await open(), event()];
    expect(await log.append('s-1', [last], { expected: 2 })).toMatchObject({ first: 3, position: 7 });
    for (const stream of ['s-0', 's-1']) {
      const ids = [...expected(stream), ...(stream === 's-1' ? [last.id] : [])];
      expect(await idsOf(log, stream)).toEqual(ids);
      expect(await idsOf(log, stream, true)).toEqual(ids.toReversed());
    }
  });

  test('is found in the events where it was not written', async () => {
    await store();
    onFile('DELETE FROM places', 'UPDATE log SET placed_to = 0');
    const log = await open();
    for (const stream of ['s-0', 's-1']) expect(await idsOf(log, stream)).toEqual(expected(stream));
    expect(await log.append('s-0', [event()], { expected: 1 })).toEqual({ kind: 'conflict', actual: 2 });
  });

  test.each([
    ['leads to another stream', 'UPDATE places SET position = 2 WHERE position = 3', 's-0'],
    ['leads nowhere', 'DELETE FROM events WHERE position = 4', 's-1'],
    ['has a gap', 'DELETE FROM places WHERE position = 3', 's-0'],
  ])('is not believed where it %s: the read fails, and the log goes on', async (_, damage, stream) => {
    await store();
    onFile(damage);
    const log = await open();
    await expect(idsOf(log, stream)).rejects.toThrow(/event \d of s-\d is not where it should be/);
    const other = stream === 's-0' ? 's-1' : 's-0';
    expect(await idsOf(log, other)).toEqual(expected(other));
    expect(await log.append(other, [event()], { expected: 2 })).toMatchObject({ kind: 'appended' });
  });
});

test('nothing is written to its folder once it is closed', async () => {
  const log = await open({ reserveBytes: 1024 * 1024 * 1024 });
  while (!existsSync(join(folder, 'reserve.tmp'))) await new Promise(setImmediate);
  await log.close();
  expect(await readdir(folder)).not.toContain('reserve.tmp');
});

test('an empty file, as a crash at the first start leaves it, becomes a log', async () => {
  await writeFile(file(), '');
  const log = await open();
  expect(await log.append('s', [event()], { expected: 'no_stream' })).toMatchObject({ kind: 'appended' });
});

test('a transaction that fails leaves its appends unknown, and the log comes back with what was stored', async () => {
  const log = await open({ faults: { dieAfterCommits: 1 } });
  const { signal } = new AbortController();
  const heard = log.subscribeStream('s', { signal })[Symbol.asyncIterator]().next();
  const followed = log.subscribeAll({ signal })[Symbol.asyncIterator]().next();
  const batch = [event(), event()];
  await expect(log.append('s', batch, { expected: 'no_stream' })).rejects.toBeInstanceOf(
    AppendOutcomeUnknown,
  );
  expect(await log.health()).toMatchObject({ ok: false });
  // Nobody was told that it is stored, but it is: whoever listens hears of it when the log is open again.
  expect(((await heard).value as RecordedEvent[]).map(({ id }) => id)).toEqual(batch.map(({ id }) => id));
  expect(((await followed).value as { events: RecordedEvent[] }).events).toHaveLength(2);
  expect(await log.head()).toBe(2);
});

test('writers and listeners get through threads that keep dying', async () => {
  const log = await open({ faults: { dieAfterCommits: 3 } });
  const { signal } = new AbortController();
  const streams = Array.from({ length: 8 }, (_, n) => `s-${n}`);
  const write = async (stream: string) => {
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) {
      const events = Array.from({ length: 1 + (n % 3) }, () => event());
      const result = await appendUntilDefinite(log, clock, random, stream, events, {
        expected: ids.length - 1,
      });
      expect(result).toMatchObject({ kind: 'appended', first: ids.length });
      ids.push(...events.map(({ id }) => id));
    }
    return ids;
  };
  const listen = async (stream: string) => {
    const seen: RecordedEvent[] = [];
    for await (const events of log.subscribeStream(stream, { signal })) if (seen.push(...events) >= 24) break;
    return seen.map(({ id }) => id);
  };
  const follow = async () => {
    const seen: RecordedEvent[] = [];
    for await (const { events } of log.subscribeAll({ signal })) if (seen.push(...events) >= 24 * 8) break;
    return seen;
  };
  const listened = streams.map(listen);
  const followed = [follow(), follow()];
  const written = await Promise.all(streams.map(write));
  expect(await Promise.all(listened)).toEqual(written);
  for (const seen of await Promise.all(followed)) {
    expect(seen.map(({ position }) => position)).toEqual([...seen.keys()].map((n) => n + 1));
    for (const [n, stream] of streams.entries())
      expect(seen.filter((event) => event.stream === stream).map(({ id }) => id)).toEqual(written[n]);
  }
});

test('a full disk leaves appends unknown, reads go on, and room cures it', async () => {
  const log = await open({ faults: { maxPageCount: 60 } });
  const batches = Array.from({ length: 40 }, () => [event({ text: 'x'.repeat(20_000) })]);
  const outcomes = await Promise.allSettled(
    batches.map((batch, n) => log.append(`s-${n}`, batch, { expected: 'no_stream' })),
  );
  // All at once they are one transaction, and it does not fit.
  expect(outcomes.map((outcome) => outcome.status)).toContain('rejected');
  expect(await log.health()).toMatchObject({ ok: false, detail: expect.stringContaining('full') });
  expect(await collect(log.readStream('s-39'))).toEqual([]);
  await log.close();
  const roomy = await open();
  expect(await roomy.health()).toEqual({ ok: true });
  for (const [n, batch] of batches.entries()) {
    await appendUntilDefinite(roomy, clock, random, `s-${n}`, batch, { expected: 'no_stream' });
    expect((await collect(roomy.readStream(`s-${n}`))).map(({ id }) => id)).toEqual([batch[0]!.id]);
  }
});

test('room is kept back, and the log says when it is low', async () => {
  const log = await open({ walBytes: 256 * 1024, reserveBytes: 512 * 1024 });
  while (!(await log.health()).ok) await clock.sleep(5);
  expect((await readFile(join(folder, 'reserve'))).byteLength).toBe(512 * 1024);
  const greedy = await mkdtemp(join(tmpdir(), 'annals-greedy-'));
  const other = await open({ folder: greedy, reserveBytes: Number.MAX_SAFE_INTEGER });
  expect(await other.health()).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/is low: .* MB free, reserve in use/),
  });
  await other.close();
  await rm(greedy, { recursive: true });
});

test('the WAL stays bounded under load, and a read sees every acknowledged append', async () => {
  const log = await open({ walBytes: 256 * 1024 });
  const text = 'x'.repeat(4_000);
  for (let n = 0; n < 60; n++) {
    const appends = Array.from({ length: 10 }, (_, s) =>
      log.append(`s-${s}`, [event({ text })], { expected: n - 1 }),
    );
    await Promise.all(appends);
    expect(await collect(log.readStream(`s-${n % 10}`))).toHaveLength(n + 1);
  }
  expect((await readFile(`${file()}-wal`)).byteLength).toBeLessThan(512 * 1024);
});

test('stored data of an older schema version are read as today’s', async () => {
  const log = await open();
  await log.append('s', [event({ n: 1 })], { expected: 'no_stream' });
  await log.close();
  const upcast = (type: string, version: number, data: object) => ({ ...data, type, version });
  const [stored] = await collect((await open({ upcast })).readStream('s'));
  expect(stored?.data).toEqual({ n: 1, type: 't', version: 1 });
  expect(stored?.json).toBe('{"n":1}');
});
