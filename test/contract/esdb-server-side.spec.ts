import { expect, test } from '@jest/globals';
import { SystemClock, SystemRandom } from '#platform';
import type { HeardReply, Reply } from '../../libs/eventstoredb/src/protocol.js';
import { ServerSide } from '../../libs/eventstoredb/src/server-side.js';
import { ROW_FIELDS } from '../../libs/event-log/src/codec.js';
import { closing, startServer, until } from './esdb-harness.js';
import { quiet } from '../support/quiet.js';

/** The thread's side of the adapter, here in the thread of the test: what it does where the other side falls behind. */

test('holds the subscription while the other side does not take what was heard, and then misses nothing', async () => {
  const server = await startServer();
  const replies: Reply[] = [];
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const side = new ServerSide(
    {
      connectionString: server.url,
      prefix: 'annals.',
      appendTimeoutMs: 10_000,
      readTimeoutMs: 10_000,
      taken,
    },
    { clock: new SystemClock(), random: new SystemRandom() },
    (reply) => void replies.push(reply),
  );
  closing(async () => {
    side.take({ kind: 'close' });
    await until('it is closed', () => replies.some(({ kind }) => kind === 'closed'));
  });
  void side.open();
  await until('it listens', () => server.subscriptions === 1);
  const bytes = new TextEncoder().encode('{}');
  const count = 40_000;
  for (let n = 0; n < count; n += 500)
    server.store.append(
      `annals.s-${n}`,
      'any',
      Array.from({ length: 500 }, (_, i) => ({
        id: `00000000-0000-4000-8000-${String(n + i).padStart(12, '0')}`,
        type: 't',
        contentType: 'application/json',
        data: bytes,
        metadata: bytes,
      })),
    );
  const heard = (): HeardReply[] => replies.filter((reply) => reply.kind === 'heard');
  const rows = (): number => heard().reduce((sum, each) => sum + each.rows.length / ROW_FIELDS, 0);
  await until('it is held', () => rows() > 10_000);
  // What was read of the connection already still comes: less than a window.
  await quiet(300);
  const ahead = rows();
  expect(ahead).toBeLessThan(25_000);
  await quiet(200);
  expect(rows()).toBe(ahead);
  const taking = setInterval(() => Atomics.store(taken, 0, rows()), 5);
  closing(() => clearInterval(taking));
  await until('all came', () => rows() >= count);
  const positions = heard().flatMap(({ rows: fields }) =>
    fields.filter((_, i) => i % ROW_FIELDS === 0).map(Number),
  );
  expect(positions).toEqual(
    server.store.all.filter(({ stream }) => stream !== 'annals.log').map(({ position }) => position),
  );
});
