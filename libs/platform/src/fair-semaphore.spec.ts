import { describe, expect, it } from '@jest/globals';
import { FairSemaphore, type GiveBack, SemaphoreQueueFull } from './fair-semaphore.js';

/** Asks, and notes in which order the turns come. */
function watched(turns: FairSemaphore) {
  const order: string[] = [];
  const given: GiveBack[] = [];
  const ask = (name: string, label = name, weight?: number, signal?: AbortSignal): Promise<void> =>
    turns.take(name, signal, weight).then((giveBack) => {
      order.push(label);
      given.push(giveBack);
    });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { order, given, ask, settle };
}

describe('turns by name', () => {
  it('give what is free at once, and no more than there is', async () => {
    const turns = new FairSemaphore({ room: 2 });
    const { order, given, ask, settle } = watched(turns);
    for (let i = 0; i < 5; i++) void ask('a', `a${i}`);
    await settle();
    expect(order).toEqual(['a0', 'a1']);
    given[0]!();
    given[0]!();
    await settle();
    expect(order).toEqual(['a0', 'a1', 'a2']);
    expect([turns.inUse, turns.waiting]).toEqual([2, 2]);
  });

  it('is held while a work goes on, whether it ends well or not', async () => {
    const turns = new FairSemaphore({ room: 1 });
    let most = 0;
    const work = async (n: number): Promise<number> => {
      most = Math.max(most, turns.inUse);
      await new Promise(setImmediate);
      if (n === 1) throw new Error('not well');
      return n;
    };
    const works = [0, 1, 2].map((n) => turns.within('a', () => work(n)));
    expect((await Promise.allSettled(works)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect([most, turns.inUse]).toEqual([1, 0]);
  });

  it("let one of b wait for one place of a's to come free, behind a thousand of a", async () => {
    const turns = new FairSemaphore({ room: 3 });
    const { order, given, ask, settle } = watched(turns);
    for (let i = 0; i < 1_000; i++) void ask('a');
    void ask('b');
    await settle();
    expect(order).toEqual(['a', 'a', 'a']);
    given[0]!();
    await settle();
    expect(order).toEqual(['a', 'a', 'a', 'b']);
  });

  it('go round where all hold the same, and keep the order within a name', async () => {
    const turns = new FairSemaphore({ room: 1 });
    const { order, given, ask, settle } = watched(turns);
    for (const label of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void ask(label[0]!, label);
    for (let i = 0; i < 6; i++) {
      await settle();
      given[i]!();
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect([turns.inUse, turns.waiting]).toEqual([0, 0]);
  });

  it('let nobody starve beside names that come and go, one at a time', async () => {
    const turns = new FairSemaphore({ room: 1 });
    const { order, given, ask, settle } = watched(turns);
    void ask('a');
    for (let i = 0; i < 10; i++) void ask('c');
    for (let i = 0; i < 30; i++) {
      void ask(i % 2 === 0 ? 'b' : 'a');
      await settle();
      given[i]!();
    }
    await settle();
    expect(order.slice(0, 31).filter((name) => name === 'c').length).toBeGreaterThanOrEqual(9);
  });

  it('leave what a name may not hold to the others', async () => {
    const turns = new FairSemaphore({ room: 10, roomEach: 4 });
    const { order, given, ask, settle } = watched(turns);
    void ask('a', 'a1', 3);
    void ask('a', 'a2', 3);
    void ask('b', 'b1', 4);
    await settle();
    expect(order).toEqual(['a1', 'b1']);
    given[0]!();
    await settle();
    expect(order).toEqual(['a1', 'b1', 'a2']);
    expect(turns.heldBy('a')).toBe(3);
  });

  it('give what is larger than all of the room its turn, alone, and nothing small slips past it', async () => {
    const turns = new FairSemaphore({ room: 10 });
    const { order, given, ask, settle } = watched(turns);
    void ask('a', 'small', 1);
    void ask('b', 'huge', 1_000);
    void ask('c', 'later', 1);
    await settle();
    expect(order).toEqual(['small']);
    given[0]!();
    await settle();
    expect(order).toEqual(['small', 'huge']);
    given[1]!();
    await settle();
    expect(order).toEqual(['small', 'huge', 'later']);
  });

  it('turn away who would be one too many, of all or of its name', async () => {
    const turns = new FairSemaphore({ room: 1, maxWaiting: 3, maxWaitingEach: 2 });
    const { order, given, ask, settle } = watched(turns);
    for (let i = 0; i < 3; i++) void ask('a');
    await expect(ask('a')).rejects.toThrow(SemaphoreQueueFull);
    void ask('b');
    await expect(ask('c')).rejects.toThrow(SemaphoreQueueFull);
    for (let i = 0; i < 4; i++) {
      await settle();
      given[i]!();
    }
    expect(order.join('')).toBe('abaa');
  });

  it('forget who does not wait any more, and go on with whoever it held up', async () => {
    const turns = new FairSemaphore({ room: 4 });
    const { order, given, ask, settle } = watched(turns);
    const leaving = new AbortController();
    void ask('a', 'a1', 2);
    const left = ask('b', 'b1', 4, leaving.signal);
    void ask('c', 'c1', 2);
    await settle();
    expect(order).toEqual(['a1']);
    leaving.abort(new Error('the client is gone'));
    await expect(left).rejects.toThrow('the client is gone');
    await settle();
    expect(order).toEqual(['a1', 'c1']);
    await expect(ask('d', 'd1', 1, leaving.signal)).rejects.toThrow('the client is gone');
    for (const giveBack of given) giveBack();
    expect([turns.inUse, turns.waiting]).toEqual([0, 0]);
  });

  it('give nothing twice, and lose nothing, whatever the order of asking, leaving and giving back', async () => {
    const turns = new FairSemaphore({ room: 7, roomEach: 5, maxWaiting: 30 });
    const { given, ask, settle } = watched(turns);
    let seed = 42;
    const dice = (n: number): number => (seed = (seed * 48_271) % 2_147_483_647) % n;
    const leaving: AbortController[] = [];
    for (let i = 0; i < 2_000; i++) {
      const leave = new AbortController();
      leaving.push(leave);
      ask('abc'[dice(3)]!, '', 1 + dice(6), leave.signal).catch(() => undefined);
      if (dice(3) === 0) leaving[dice(leaving.length)]!.abort(new Error('gone'));
      await Promise.resolve();
      if (dice(2) === 0) given.splice(dice(given.length + 1), 1)[0]?.();
      expect(turns.inUse).toBeLessThanOrEqual(7);
      for (const name of 'abc') expect(turns.heldBy(name)).toBeLessThanOrEqual(5);
    }
    for (const leave of leaving) leave.abort(new Error('gone'));
    await settle();
    for (const giveBack of given) giveBack();
    expect([turns.inUse, turns.waiting]).toEqual([0, 0]);
  });
});
