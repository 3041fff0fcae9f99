import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type SignIn, SignInTable } from './sign-in-table.js';

const DAY = 24 * 3600_000;

function open() {
  const ended: string[] = [];
  const clock = { now: 0 };
  const table = new SignInTable(
    { open: (sealed) => sealed },
    () => clock.now,
    (cookie) => ended.push(cookie),
  );
  const come = (keyId: string): SignIn => {
    const signIn = {
      cookie: randomBytes(32).toString('hex'),
      keyId,
      csrf: 'c',
      until: clock.now + DAY,
      mark: 'm',
    };
    table.add(signIn);
    return signIn;
  };
  return { table, ended, clock, come };
}

describe('who is signed in', () => {
  it('is bounded for each key, however often somebody comes in, and so is what is remembered of it', () => {
    const { table, ended, come } = open();
    const other = come('other');
    const came = Array.from({ length: 5000 }, () => come('busy'));
    expect(ended).toEqual(came.slice(0, 4900).map(({ cookie }) => cookie));
    expect(table.size).toBe(1 + 100 + 1000);
    expect(table.get(other.cookie)).toEqual(other);
    expect(table.get(came.at(-100)!.cookie)).not.toBeNull();
  });

  it('does not come back once it has left, though the log tells of it later', () => {
    const { table, come, clock } = open();
    const left = come('a');
    table.end(left.cookie);
    table.add(left);
    expect(table.get(left.cookie)).toBeNull();
    clock.now = DAY + 1;
    table.end(come('a').cookie);
    expect(table.size).toBe(1);
  });
});
