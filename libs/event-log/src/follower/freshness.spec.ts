import { expect, test } from '@jest/globals';
import type { Position } from '#domain';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { Freshness, StoredProgress } from './freshness.js';

/** A follower in another process, whose checkpoint is moved by hand. */
function setUp({ isAvailable = true, head = () => Promise.resolve(7 as Position) } = {}) {
  const clock = new ManualClock();
  const stored = { position: 3 as Position, reads: 0 };
  const progress = new StoredProgress(() => {
    stored.reads += 1;
    return Promise.resolve({ logId: 'log', position: stored.position });
  }, clock);
  const freshness = new Freshness({ log: { head }, clock, progress, isAvailable: () => isAvailable });
  return { clock, stored, progress, freshness };
}

test('a query waits until the checkpoint has passed the end of the log', async () => {
  const { clock, stored, freshness } = setUp();
  let isFresh = false;
  const fresh = freshness.caughtUp().then(() => (isFresh = true));
  await clock.pass(25);
  expect(isFresh).toBe(false);
  stored.position = 7;
  await clock.pass(25);
  await fresh;
  expect(clock.pending).toEqual([]);
});

test('a query waits for two seconds at most', async () => {
  const { clock, freshness } = setUp();
  const fresh = freshness.caughtUp();
  await clock.timerWithin(25);
  clock.advance(2_000);
  await fresh;
  expect(clock.pending).toEqual([]);
});

test('a query does not wait for a log that does not answer', async () => {
  const { stored, freshness } = setUp({ head: () => Promise.reject(new Error('gone')) });
  await freshness.caughtUp();
  expect(stored.reads).toBe(0);
});

test('a query does not wait for tables that cannot be read', async () => {
  const { stored, freshness } = setUp({ isAvailable: false });
  await freshness.caughtUp();
  expect(stored.reads).toBe(0);
});

test('a follower that has stored nothing is at the beginning', async () => {
  const { clock } = setUp();
  expect(await new StoredProgress(() => Promise.resolve(null), clock).position()).toBe(0);
});
