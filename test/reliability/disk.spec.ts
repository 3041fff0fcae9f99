import { expect, it } from '@jest/globals';
import { canMountDisks, fullDisk } from './full-disk.js';
import { say } from './verdict.js';

const CYCLES = Number(process.env['FULL_DISKS'] ?? 2);

it('refuses new runs on a full disk, and goes on with those under way when there is room again', async () => {
  if (!canMountDisks()) {
    // On CI it is never left out.
    expect(process.env['CI']).toBeUndefined();
    return say('F7 left out: making a small disk needs root on Linux');
  }
  const { verdict, line } = await fullDisk(CYCLES);
  say(line);
  expect(verdict.problems).toEqual([]);
});
