import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { SqliteEventLog, collect, newEvent } from '#event-log';
import { ProcessBackground, SecretBox, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { LogKeys } from './log-keys.js';
import { PROOF_STREAM } from './proof-log.js';

const ORIGIN = 'example.com/annals';
/** Of the vectors of the format: the root key is 32 times byte 5. */
const VKEY = 'example.com/annals+f95b6637+AWY+I0+8fZI9dQgXTBhJLq+fHIjl7pmaLQZlRbal7Qbc';

let folder: string;
let log: SqliteEventLog;
let stop: AbortController;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'annals-logkeys-'));
  log = await SqliteEventLog.open({ folder, logger: new SilentLogger() });
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await log.close();
  rmSync(folder, { recursive: true });
});

const keysOf = (origin = ORIGIN, byte = 5): LogKeys => {
  const logger = new SilentLogger();
  return new LogKeys(origin, {
    log,
    clock: new SystemClock(),
    random: new SystemRandom(),
    box: new SecretBox(Buffer.alloc(32, byte)),
    signed: { signed: async () => null, saveSigned: async () => false },
    background: new ProcessBackground(logger),
    logger,
  });
};

const started = async (keys: LogKeys): Promise<readonly string[]> => {
  await keys.start(stop.signal);
  return keys.active.map(({ vkey }) => vkey);
};

test('the first key of an origin is made once, by whoever comes first', async () => {
  const all = await Promise.all([keysOf(), keysOf(), keysOf()].map(started));
  expect(all).toEqual([[VKEY], [VKEY], [VKEY]]);
  const events = await collect(log.readStream(PROOF_STREAM));
  expect(events.map(({ json }) => json)).toEqual([`{"origin":"${ORIGIN}","key":"${VKEY}","number":1}`]);
  expect(await started(keysOf())).toEqual([VKEY]);
  expect(await log.head()).toBe(1);
});

test('another origin has keys of its own, and a key that is not ours signs nothing', async () => {
  await started(keysOf());
  const [other = ''] = await started(keysOf('other.example/log'));
  expect(other).toMatch(/^other\.example\/log\+/);
  expect(await started(keysOf())).toEqual([VKEY]);
  // Somebody else's root key: what stands there under this origin is not of this installation.
  const foreign = await started(keysOf(ORIGIN, 6));
  expect(foreign).toHaveLength(1);
  expect(foreign).not.toContain(VKEY);
});

test('retired keys sign no more, and an event that says nothing is passed over', async () => {
  await started(keysOf());
  const write = (type: string, data: object) =>
    log.append(
      PROOF_STREAM,
      [
        newEvent(
          { id: crypto.randomUUID(), type, time: 0, data },
          { schemaVersion: 1, project: '', actor: 'annals' },
        ),
      ],
      { expected: 'any' },
    );
  await write('log_painted', { colour: 'red' });
  await write('log_key_added', { origin: ORIGIN, key: 'x+00000000+AAAA', number: 2 });
  expect(await started(keysOf())).toEqual([VKEY]);
  await write('log_key_retired', { origin: ORIGIN, key: VKEY });
  expect(await started(keysOf())).toEqual([]);
});
