import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { SilentLogger, SystemRandom } from '#platform';
import { newEvent, type ContentKeys, MemoryContentKeys, SqliteEventLog, verifyLog } from '#event-log';
import { StreamKeys } from './keys/stream-keys.js';
import { SealedEventLog } from './sealed-event-log.js';

const random = new SystemRandom();
const SESSIONS = ['session-s_a', 'session-s_b'] as const;
const EVENTS = 6;

let folder: string;
let keys: ContentKeys;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'annals-tamper-'));
  keys = new MemoryContentKeys();
  await onLog(async (plain) => {
    const log = new SealedEventLog(plain, new StreamKeys(plain, keys));
    for (const stream of SESSIONS)
      for (let n = 0; n < EVENTS; n++) {
        const meta = { schemaVersion: 1, project: 'p', actor: 'k' };
        const event = {
          id: random.uuid(),
          type: 'agent_response',
          time: 1_000 + n,
          data: { content: `text ${n}` },
        };
        // The fourth is a stranger's command.
        const expected = n === 3 ? 'stream_exists' : n === 0 ? 'no_stream' : n - 1;
        await log.append(stream, [newEvent(event, meta)], { expected });
      }
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));

async function onLog<T>(work: (log: SqliteEventLog) => Promise<T>): Promise<T> {
  const log = await SqliteEventLog.open({ folder, keys, logger: new SilentLogger(), reserveBytes: 0 });
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

function tamper(...statements: readonly string[]): void {
  const db = new DatabaseSync(join(folder, 'log.db'));
  for (const statement of statements) db.exec(statement);
  db.close();
}

/** The first fault, as `stream@revision`, and what is said of it; null: the log is sound. */
async function firstFault(): Promise<readonly [string, string] | null> {
  const { faults } = await onLog((log) => verifyLog(log, { keys }));
  const [first] = faults;
  return first === undefined ? null : [`${first.stream}@${first.revision}`, first.what];
}

const of = (stream: 1 | 2, revision: number): string => `WHERE stream = ${stream} AND revision = ${revision}`;
/** Makes room for an event, or closes the gap of one: by numbers that no other has on the way. */
const shift = (stream: 1 | 2, from: number, by: number): readonly string[] => [
  `UPDATE events SET revision = -revision - 100 WHERE stream = ${stream} AND revision >= ${from}`,
  `UPDATE events SET revision = -revision - 100 + ${by} WHERE stream = ${stream} AND revision < 0`,
];

test('a log that nobody touched is sound', async () => {
  expect(await firstFault()).toBeNull();
  const report = await onLog((log) => verifyLog(log, { keys }));
  expect(report).toMatchObject({ events: 2 * EVENTS, proven: 2 * EVENTS, erased: 0 });
});

describe.each(['with its key', 'after its key was destroyed'])(
  'the first event is named, %s, that was',
  (when) => {
    const isErased = when !== 'with its key';
    beforeEach(async () => {
      if (!isErased) return;
      const ids = await onLog(async (log) => {
        const found = new Set<string>();
        for await (const { events } of log.readAll())
          for (const { meta } of events) found.add(meta.keyId ?? '');
        return found;
      });
      for (const id of ids) await keys.destroy(id);
      expect(await firstFault()).toBeNull();
      const report = await onLog((log) => verifyLog(log, { keys }));
      expect(report).toMatchObject({ proven: 0, erased: 2 * EVENTS });
    });

    test.each([0, 1, 2, 4])('edited outside its content, at revision %i', async (revision) => {
      tamper(`UPDATE events SET time = time + 1 ${of(1, revision)}`);
      expect((await firstFault())?.[0]).toBe(`session-s_a@${revision}`);
    });

    test('edited in its commitment', async () => {
      tamper(`UPDATE events SET commitment = zeroblob(32) ${of(1, 1)}`);
      expect((await firstFault())?.[0]).toBe('session-s_a@1');
    });

    test('edited in what it follows', async () => {
      tamper(`UPDATE events SET prev = zeroblob(32) ${of(1, 2)}`);
      expect((await firstFault())?.[0]).toBe('session-s_a@2');
    });

    test('deleted', async () => {
      tamper(`DELETE FROM events ${of(1, 2)}`);
      expect((await firstFault())?.[0]).toBe('session-s_a@3');
    });

    test('deleted, and the gap closed', async () => {
      tamper(`DELETE FROM events ${of(1, 1)}`, ...shift(1, 2, -1));
      expect((await firstFault())?.[0]).toBe('session-s_a@1');
    });

    test('inserted', async () => {
      tamper(
        ...shift(1, 2, 1),
        'UPDATE events SET position = -10 * position',
        'UPDATE events SET position = -position',
        `INSERT INTO events SELECT position + 1, 1, 2, '${random.uuid()}', type, time, data, meta, commitment, prev
         FROM events ${of(1, 1)}`,
      );
      expect((await firstFault())?.[0]).toBe('session-s_a@2');
    });

    test('put out of order', async () => {
      tamper(
        `UPDATE events SET revision = 100 ${of(1, 1)}`,
        `UPDATE events SET revision = 1 ${of(1, 2)}`,
        `UPDATE events SET revision = 2 ${of(1, 100)}`,
      );
      expect((await firstFault())?.[0]).toBe('session-s_a@2');
    });

    test('moved from another session', async () => {
      tamper(`DELETE FROM events ${of(2, 2)}`, `UPDATE events SET stream = 2 ${of(1, 2)}`);
      const { faults } = await onLog((log) => verifyLog(log, { keys }));
      const named = new Set(faults.map(({ stream, revision }) => `${stream}@${revision}`));
      expect(named.has('session-s_b@2')).toBe(true);
      expect(named.has('session-s_a@3')).toBe(true);
    });
  },
);

describe('with its key, the event is named whose content was', () => {
  test.each([
    ['changed', `UPDATE events SET data = zeroblob(60) ${of(1, 2)}`],
    [
      'taken from another event',
      `UPDATE events SET data = (SELECT data FROM events ${of(1, 1)}) ${of(1, 2)}`,
    ],
    [
      'taken from another session',
      `UPDATE events SET data = (SELECT data FROM events ${of(2, 2)}) ${of(1, 2)}`,
    ],
    ['replaced by text in the clear', `UPDATE events SET data = '{"content":"forged"}' ${of(1, 2)}`],
  ])('%s', async (_, statement) => {
    tamper(statement);
    expect(await firstFault()).toEqual(['session-s_a@2', expect.stringMatching(/content/)]);
  });
});
