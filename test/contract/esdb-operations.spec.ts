import { expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  appendUntilDefinite,
  compareLogs,
  type ContentKeys,
  copyLog,
  type EventLog,
  MemoryContentKeys,
  SqliteEventLog,
  verifyLog,
} from '#event-log';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { eventOf, META } from './event-log/harness.js';
import { closing, openLog, startServer, storeForeign } from './esdb-harness.js';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'annals-copy-'));
  closing(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function openEmbedded(folder = newFolder(), keys?: ContentKeys): Promise<SqliteEventLog> {
  const options = { folder, logger: new SilentLogger(), reserveBytes: 0 };
  const log = await SqliteEventLog.open({ ...options, ...(keys && { keys }) });
  closing(() => log.close());
  return log;
}

const copy = (from: EventLog, to: EventLog) =>
  copyLog(from, to, {
    append: (stream, events, expected) =>
      appendUntilDefinite(to, new SystemClock(), new SystemRandom(), stream, events, { expected }),
  });

test('a log grows out of the embedded default and goes back, and is the same to the byte', async () => {
  const keys = new MemoryContentKeys();
  const keyId = await keys.draw();
  const folder = newFolder();
  const writer = await openEmbedded(folder, keys);
  const texts = '👩‍👩‍👧 \u2028 \0';
  await Promise.all(
    Array.from({ length: 300 }, (_, n) => {
      const meta = { ...META, run: `run_${n % 9}`, correlationId: `c_${n}`, causationId: 'cause' };
      // Whoever copies has no key.
      const sealed = n % 3 === 0 ? { ...meta, keyId } : meta;
      const events = [0, 1, 2].map((i) => ({
        ...eventOf({ n, i, texts }),
        meta: sealed,
        time: n * 1_000 + i,
      }));
      return writer.append(`session-${n % 9}`, events, { expected: 'any' });
    }),
  );
  await writer.close();
  const first = await openEmbedded(folder);
  const server = await startServer();
  storeForeign(server, 500);
  const esdb = await openLog(server);
  expect(await copy(first, esdb)).toEqual({ events: 900, streams: 9 });
  const back = await openEmbedded();
  await copy(esdb, back);
  for (const log of [esdb, back]) {
    expect(await compareLogs(first, log)).toEqual({ streams: [], isSameOrder: true });
    expect(await verifyLog(log, { keys })).toMatchObject({ events: 900, streams: 9, faultCount: 0 });
  }
  expect(new Set([first.logId, esdb.logId, back.logId]).size).toBe(3);
});

test('what somebody has written by hand is found by verifying', async () => {
  const server = await startServer();
  const log = await openLog(server);
  await log.append('session-1', [eventOf()], { expected: 'no_stream' });
  const data = new TextEncoder().encode('{}');
  server.store.append('annals.session-1', 0, [
    { id: eventOf().id, type: 'by_hand', contentType: 'application/json', data, metadata: data },
  ]);
  const report = await verifyLog(log);
  expect(report).toMatchObject({
    faultCount: 1,
    faults: [{ stream: 'session-1', revision: 1, what: 'its schema version is 0' }],
  });
});
