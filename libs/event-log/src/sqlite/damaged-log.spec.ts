import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { SilentLogger, SystemRandom } from '#platform';
import { newEvent } from '../envelope.js';
import { collect, LogUnavailable } from '../event-log.js';
import { SqliteEventLog } from './sqlite-event-log.js';

const random = new SystemRandom();
const meta = { schemaVersion: 1, project: 'p', actor: 'k' };
const event = (data: object = { n: 1 }) => newEvent({ id: random.uuid(), type: 't', time: 0, data }, meta);

let folder: string;
let opened: SqliteEventLog | undefined;
const file = () => join(folder, 'log.db');

beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'annals-damaged-'))));
afterEach(async () => {
  await opened?.close();
  await rm(folder, { recursive: true });
});

async function open(): Promise<SqliteEventLog> {
  return (opened = await SqliteEventLog.open({ folder, logger: new SilentLogger(), reserveBytes: 0 }));
}

/** It is refused alone: what is in one transaction with it is stored. */
async function refusesAppends(log: SqliteEventLog, stream: string): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    const [refused, other] = await Promise.allSettled([
      log.append(stream, [event()], { expected: 0 }),
      log.append('x', [event()], { expected: 'any' }),
    ]);
    expect(refused).toMatchObject({ reason: expect.objectContaining({ name: 'LogUnavailable' }) });
    expect(other).toMatchObject({ status: 'fulfilled' });
  }
  expect(await log.health()).toEqual({ ok: true });
}

test('a damaged page fails the reads that need it, and nothing else', async () => {
  const log = await open();
  for (const s of 'xyz') await log.append(s, [event({ text: s.repeat(20_000) })], { expected: 'no_stream' });
  await log.close();
  const bytes = await readFile(file());
  const page = Math.floor(bytes.indexOf('y'.repeat(4_000)) / 4096) * 4096;
  // Where it says which page has the next piece of the text.
  bytes.fill(0xff, page, page + 4);
  await writeFile(file(), bytes);
  const again = await open();
  for (let tries = 0; tries < 3; tries++) {
    await expect(collect(again.readStream('y'))).rejects.toThrow(LogUnavailable);
    await expect(again.readAll()[Symbol.asyncIterator]().next()).rejects.toThrow(/log\.db is damaged/);
    expect(await again.append('x', [event()], { expected: tries })).toMatchObject({ kind: 'appended' });
    expect(await again.health()).toEqual({ ok: true });
  }
  await refusesAppends(again, 'y');
  expect(await collect(again.readStream('x'))).toHaveLength(7);
  expect(await collect(again.readStream('z'))).toHaveLength(1);
});

test.each(['not json', 'null', '5'])(
  'an event whose meta is %s fails the hashes, and nothing else',
  async (damaged) => {
    const log = await open();
    for (const s of 'xyz') await log.append(s, [event()], { expected: 'no_stream' });
    await log.close();
    const db = new DatabaseSync(file());
    db.prepare('UPDATE events SET meta = ? WHERE position = 2').run(damaged);
    db.close();
    const again = await open();
    for (let tries = 0; tries < 3; tries++) {
      await expect(Array.fromAsync(again.readHashes(0))).rejects.toThrow(/meta of an event is damaged/);
      expect(await again.append('x', [event()], { expected: tries })).toMatchObject({ kind: 'appended' });
      expect(await again.health()).toEqual({ ok: true });
    }
    await refusesAppends(again, 'y');
    expect((await Array.fromAsync(again.readHashes(2))).flatMap(({ events }) => events)).toHaveLength(7);
  },
);
