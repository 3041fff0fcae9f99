import { describe, expect, it } from '@jest/globals';
import type { DeliveryAttempt } from './delivery-events.js';
import { DeliveryFold } from './delivery-fold.js';
import { deliveryId, sequenceOfDelivery } from './delivery-ids.js';
import { MAX_ATTEMPTS, parseRetryAfter, waitAfterAttempt } from './retry.js';

const fold = (...attempts: readonly (Partial<DeliveryAttempt> & { readonly sequence: number })[]) => {
  const made = new DeliveryFold();
  for (const attempt of attempts) attempted(made, attempt);
  return made;
};
const attempted = (
  made: DeliveryFold,
  attempt: Partial<DeliveryAttempt> & { readonly sequence: number },
): void =>
  made.push({
    type: 'delivery_attempted',
    time: 1,
    data: { revision: 10 * attempt.sequence, status: 200, ...attempt },
  });
const askedAgain = (made: DeliveryFold, sequence: number): void =>
  made.push({
    type: 'delivery_resend_requested',
    time: 7,
    data: { sequence, revision: 10 * sequence, requested: 1 },
  });

describe('the deliveries of a run', () => {
  it('begin with nothing', () => {
    const made = fold();
    expect(made).toMatchObject({ next: 1, tries: 0, passed: null, isSettled: false });
    expect(made.record(3)).toMatchObject({ status: 'pending', attempts: 0, nextAt: null });
  });

  it('go on with the event after the one that came through', () => {
    const made = fold({ sequence: 1, status: 204 }, { sequence: 2, status: 500, next_at: 99 });
    expect(made).toMatchObject({ next: 2, tries: 1, passed: 10 });
    expect(made.record(1)).toMatchObject({ status: 'delivered', attempts: 1, lastStatus: 204 });
    expect(made.record(2)).toMatchObject({ status: 'retrying', lastStatus: 500, nextAt: 99 });
    attempted(made, { sequence: 2 });
    expect(made).toMatchObject({ next: 3, tries: 0, passed: 20 });
    expect(made.record(2)).toMatchObject({ status: 'delivered', attempts: 2, nextAt: null });
  });

  it('stop where an event was given up: what comes later is not sent', () => {
    const made = fold({ sequence: 1 }, { sequence: 2, status: 410, gave_up: true });
    expect(made.isSettled).toBe(true);
    expect([1, 2, 3, 4].map((n) => made.record(n).status)).toEqual([
      'delivered',
      'failed',
      'stopped',
      'stopped',
    ]);
  });

  it('are settled by the last event', () => {
    expect(fold({ sequence: 1 }, { sequence: 2, is_last: true }).isSettled).toBe(true);
  });

  it('take a resend that touches nothing else', () => {
    const made = fold({ sequence: 1 }, { sequence: 2, status: null, error: 'e', gave_up: true });
    askedAgain(made, 2);
    askedAgain(made, 2);
    askedAgain(made, 3);
    expect(made.resends.map(({ sequence }) => sequence)).toEqual([2, 3]);
    expect(made.record(2)).toMatchObject({ status: 'pending', nextAt: 7 });
    expect(made.isSettled).toBe(false);
    attempted(made, { sequence: 2, is_resend: true });
    attempted(made, { sequence: 3, status: 500, is_resend: true });
    expect(made.record(2)).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(made.record(3)).toMatchObject({ status: 'failed', attempts: 1 });
    expect(made).toMatchObject({ next: 2, isSettled: true });
  });

  it('stay delivered whatever a resend comes to', () => {
    const made = fold({ sequence: 1 });
    askedAgain(made, 1);
    attempted(made, { sequence: 1, status: 500, is_resend: true });
    expect(made.record(1)).toMatchObject({ status: 'delivered', lastStatus: 500, attempts: 2 });
  });

  it('make the next attempt due where the event whose turn it is is asked for', () => {
    const made = fold({ sequence: 1, status: 500, next_at: 1_000_000 });
    askedAgain(made, 1);
    expect(made.record(1).nextAt).toBe(7);
    expect(made.resends).toEqual([]);
    askedAgain(made, 2);
    expect(made.record(2)).toMatchObject({ status: 'pending', nextAt: null });
  });

  it('know an attempt that two relays made', () => {
    const made = fold({ sequence: 1 }, { sequence: 1 }, { sequence: 2 }, { sequence: 1, status: 500 });
    expect(made.next).toBe(3);
    expect(made.record(1)).toMatchObject({ status: 'delivered', attempts: 3 });
  });
});

describe('the timetable', () => {
  const waits = (jitter: number): number[] =>
    Array.from({ length: MAX_ATTEMPTS - 1 }, (_, i) => waitAfterAttempt(i + 1, jitter, null) ?? NaN);

  it('has ten attempts, the first retry within 5 s, the last within about a day', () => {
    expect(MAX_ATTEMPTS).toBe(10);
    expect(waitAfterAttempt(MAX_ATTEMPTS, 0.5, null)).toBeNull();
    for (const jitter of [0, 0.5, 0.999]) {
      const [first = 0] = waits(jitter);
      expect(first).toBeLessThan(5000);
      const total = waits(jitter).reduce((sum, ms) => sum + ms, 0) / 3_600_000;
      expect(total).toBeGreaterThan(18);
      expect(total).toBeLessThan(29);
    }
  });

  it('gives way to what the receiver asks for, a day at most', () => {
    expect(waitAfterAttempt(1, 0.5, 120_000)).toBe(120_000);
    expect(waitAfterAttempt(1, 0.5, 1e12)).toBe(86_400_000);
    expect(waitAfterAttempt(2, 0.5, 0)).toBe(1_000);
    expect(waitAfterAttempt(MAX_ATTEMPTS, 0.5, 1000)).toBeNull();
  });

  const NOW = Date.UTC(2026, 0, 15, 12);
  it.each([
    ['120', 120_000],
    [' 60 ', 60_000],
    [' 0 ', 0],
    ['Thu, 15 Jan 2026 12:00:10 GMT', 10_000],
    ['Thu, 15 Jan 2026 11:00:00 GMT', 0],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['', null],
    [null, null],
    ['2027', 2_027_000],
    ['99999999999999', null],
  ])('reads Retry-After %p as %p', (header, ms) => {
    expect(parseRetryAfter(header, NOW)).toBe(ms);
  });
});

describe('a delivery id', () => {
  it('names run and sequence, and is known again only with its run', () => {
    const id = deliveryId('run_a', 12);
    expect(sequenceOfDelivery('run_a', id)).toBe(12);
    expect(sequenceOfDelivery('run_b', id)).toBeNull();
    for (const wrong of ['', 'dlv_1', id + '0x', id.replace('_12', '_0'), id.replace('_12', '_012')])
      expect(sequenceOfDelivery('run_a', wrong)).toBeNull();
  });
});
