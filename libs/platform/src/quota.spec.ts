import { describe, expect, it } from '@jest/globals';
import { Quota, type Reservation } from './quota.js';

class Away extends Error {}

/** A table that shows what is kept when it is told to. */
class Table {
  shown = 0;
  isAway = false;
  readonly quota: Quota;
  asked: (() => void)[] = [];

  constructor(limit: number, isSlow = false) {
    const count = async (): Promise<number> => {
      if (isSlow) await new Promise<void>((resolve) => this.asked.push(resolve));
      if (this.isAway) throw new Away();
      return this.shown;
    };
    this.quota = new Quota(limit, count, (error) => error instanceof Away);
  }

  async keep(amount: number): Promise<boolean> {
    const reserved = await this.quota.reserve('a', amount);
    if (typeof reserved !== 'function') return false;
    this.shown += amount;
    reserved(true);
    return true;
  }
}

describe('a quota', () => {
  it('lets in what there is room for, to the last one, and says what is used', async () => {
    const table = new Table(10);
    expect(await table.keep(4)).toBe(true);
    expect(await table.keep(7)).toBe(false);
    expect(await table.quota.reserve('a', 7)).toEqual({ used: 4 });
    expect(await table.keep(6)).toBe(true);
    expect(await table.keep(1)).toBe(false);
    table.shown -= 3;
    expect(await table.keep(3)).toBe(true);
  });

  it('counts what is about to be kept, whoever asks at the same time', async () => {
    const table = new Table(10, true);
    const asked = Array.from({ length: 20 }, () => table.quota.reserve('a', 1));
    for (const answer of table.asked) answer();
    const reserved = (await Promise.all(asked)).filter((answer) => typeof answer === 'function');
    expect(reserved.length).toBeLessThanOrEqual(10);
    expect(reserved.length).toBeGreaterThan(0);
    for (const end of reserved) end(false);
    const again = table.quota.reserve('a', 10);
    table.asked.at(-1)?.();
    expect(typeof (await again)).toBe('function');
  });

  it('goes by what it knew last, and by what was kept since, where nobody can be asked', async () => {
    const table = new Table(10);
    expect(await table.keep(3)).toBe(true);
    expect(typeof (await table.quota.reserve('a', 1))).toBe('function');
    table.isAway = true;
    expect(await table.keep(5)).toBe(true);
    expect(await table.keep(2)).toBe(false);
    table.isAway = false;
    table.shown = 0;
    expect(await table.keep(9)).toBe(true);
  });

  it('keeps names apart, and gives back what was not kept', async () => {
    const counts: Record<string, number> = { a: 9, b: 0 };
    const quota = new Quota(
      10,
      async (name) => counts[name] ?? 0,
      () => false,
    );
    const first = await quota.reserve('a', 1);
    expect(await quota.reserve('a', 1)).toEqual({ used: 10 });
    expect(typeof (await quota.reserve('b', 10))).toBe('function');
    (first as Reservation)(false);
    (first as Reservation)(false);
    expect(typeof (await quota.reserve('a', 1))).toBe('function');
  });

  it('passes on what is no outage, and holds nothing for it', async () => {
    let fails = true;
    const quota = new Quota(
      1,
      async () => (fails ? Promise.reject(new Error('a bug')) : 0),
      () => false,
    );
    await expect(quota.reserve('a', 1)).rejects.toThrow('a bug');
    fails = false;
    expect(typeof (await quota.reserve('a', 1))).toBe('function');
  });
});
