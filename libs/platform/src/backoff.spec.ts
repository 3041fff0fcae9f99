import { expect, test } from '@jest/globals';
import { Backoff, type BackoffShape } from './backoff.js';
import { Clock, SystemClock } from './clock.js';
import { Random } from './random.js';

/** Time passes at once, and what was waited is written down. */
class LoggedClock extends Clock {
  readonly waits: number[] = [];

  override now(): number {
    return 0;
  }

  override timer(ms: number, fire: () => void): () => void {
    this.waits.push(ms);
    queueMicrotask(fire);
    return () => undefined;
  }

  override soon(fire: () => void): void {
    queueMicrotask(fire);
  }
}

class FixedRandom extends Random {
  constructor(private readonly value: number) {
    super();
  }
  override uuid(): string {
    return '';
  }
  override hex(): string {
    return '';
  }
  override jitter(): number {
    return this.value;
  }
}

async function waitsOf(times: number, shape: BackoffShape, random?: Random): Promise<number[]> {
  const clock = new LoggedClock();
  const backoff = new Backoff(clock, shape, random);
  for (let i = 0; i < times; i++) await backoff.wait();
  return clock.waits;
}

test('pauses double up to the longest one', async () => {
  expect(await waitsOf(5, { firstMs: 50, longestMs: 300 })).toEqual([50, 100, 200, 300, 300]);
});

test('pauses grow by the factor that is given', async () => {
  expect(await waitsOf(3, { firstMs: 1000, longestMs: 4000, factor: 4 })).toEqual([1000, 4000, 4000]);
});

test('however often it failed, the pause stays a number', async () => {
  const clock = new LoggedClock();
  const backoff = new Backoff(clock, { firstMs: 50, longestMs: 2_000 });
  backoff.count = 5_000;
  await backoff.wait();
  expect(clock.waits).toEqual([2_000]);
});

test('jitter takes up to half of a pause away', async () => {
  const shape = { firstMs: 100, longestMs: 200 };
  expect(await waitsOf(3, shape, new FixedRandom(0))).toEqual([50, 100, 100]);
  expect(await waitsOf(3, shape, new FixedRandom(0.5))).toEqual([75, 150, 150]);
});

test('jitter may be given as other shares of a pause', async () => {
  const shape = { firstMs: 1000, longestMs: 4000, factor: 4, jitter: [1, 1.5] } as const;
  expect(await waitsOf(2, shape, new FixedRandom(0.5))).toEqual([1250, 5000]);
});

test('after a reset the first pause comes again; a pause that is skipped counts', async () => {
  const clock = new LoggedClock();
  const backoff = new Backoff(clock, { firstMs: 50, longestMs: 2_000 });
  await backoff.wait();
  await backoff.wait();
  expect(backoff.count).toBe(2);
  backoff.reset();
  backoff.skip();
  expect(backoff.count).toBe(1);
  await backoff.wait();
  expect(clock.waits).toEqual([50, 100, 100]);
});

test('another pause may be asked for', async () => {
  const clock = new LoggedClock();
  const backoff = new Backoff(clock, { firstMs: 50, longestMs: 2_000 });
  await backoff.wait(undefined, (ms) => Math.max(ms, 700));
  await backoff.wait();
  expect(clock.waits).toEqual([700, 100]);
});

test('a pause ends without an error when its signal is aborted', async () => {
  const hour = { firstMs: 3_600_000, longestMs: 3_600_000 };
  const stop = new AbortController();
  const waited = new Backoff(new SystemClock(), hour).wait(stop.signal);
  stop.abort(new Error('enough'));
  await waited;
  await new Backoff(new SystemClock(), hour).wait(stop.signal);
});
