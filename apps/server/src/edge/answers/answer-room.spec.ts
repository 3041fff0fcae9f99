import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../../../test/support/manual-clock.js';
import { AnswerRoom } from './answer-room.js';

const MB = 1024 * 1024;
const OVERLOADED = { code: 'overloaded', more: { retryAfterS: 5 } };

describe('the room of large answers', () => {
  const clock = new ManualClock();
  const open = (maxBytes: number) => {
    const room = new AnswerRoom(maxBytes, clock);
    const gone = new AbortController();
    return { room, gone, share: (project: string) => room.share(project, gone.signal) };
  };

  it('is given by what a part weighs, half of it to one project, and comes back once', async () => {
    const { room, share } = open(16 * MB);
    const [small, large] = [share('a'), share('a')];
    await small.hold(1);
    await small.hold(1000);
    expect(room.inUse).toBe(MB);
    await large.hold(MB);
    expect(room.inUse).toBe(5 * MB);
    const waiting = share('a').hold(MB);
    expect(room.isWanted).toBe(true);
    await share('b').hold(MB);
    expect(room.inUse).toBe(9 * MB);
    small.release();
    small.release();
    await waiting;
    expect(room.inUse).toBe(12 * MB);
    await share('c').hold(MB);
    expect(room.inUse).toBe(16 * MB);
  });

  it('is never waited for by one that holds a part of it', async () => {
    const { room, share } = open(8 * MB);
    const [one, other] = [share('a'), share('a')];
    await Promise.all([one.hold(1), other.hold(1)]);
    const [first, second] = [one.hold(100 * MB), other.hold(100 * MB)];
    // Each wants all that a project may have; the second has given back its own.
    other.release();
    await first;
    expect(room.inUse).toBe(4 * MB);
    one.release();
    await second;
    expect(room.inUse).toBe(4 * MB);
  });

  it('is not given back by one that has all that a project may have, however much more it reads', async () => {
    const { room, share } = open(8 * MB);
    const [one, other] = [share('a'), share('a')];
    await one.hold(2 * MB);
    const waiting = other.hold(2 * MB);
    for (let read = 3; read < 10; read++) await one.hold(read * MB);
    expect([room.inUse, room.isWanted]).toEqual([4 * MB, true]);
    one.release();
    await waiting;
  });

  it('turns away whoever waits too long, and those that are too many', async () => {
    const { room, gone, share } = open(2 * MB);
    await share('a').hold(1);
    const late = share('a').hold(1);
    clock.advance(30_000);
    await expect(late).rejects.toMatchObject(OVERLOADED);
    const waiting = Array.from({ length: 64 }, () => share('a').hold(1).catch(String));
    await expect(share('a').hold(1)).rejects.toMatchObject(OVERLOADED);
    await share('b').hold(1);
    gone.abort(new Error('gone'));
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['Error: gone']));
    expect([room.inUse, room.isWanted, clock.pending]).toEqual([2 * MB, false, []]);
  });
});
