import { beforeEach, describe, expect, it } from '@jest/globals';
import { ProcessBackground, SilentLogger } from '#platform';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { MemoryLeases } from '../../../test/support/memory-replicas.js';
import { LeasedPart } from './leased-part.js';
import { replicaTimes } from './replica-times.js';

const { leaseMs, beatMs } = replicaTimes(10_000);
const logger = new SilentLogger();
const background = new ProcessBackground(logger);
/** Until what was started by the clock has come to its next wait. */
const settled = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) await new Promise(setImmediate);
};

let clock: ManualClock;
beforeEach(() => void (clock = new ManualClock()));

async function passed(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= beatMs / 2) {
    clock.advance(Math.min(left, beatMs / 2));
    await settled();
  }
}

describe('a part that one replica at a time does', () => {
  let leases: MemoryLeases;
  let done: string[];
  beforeEach(() => {
    leases = new MemoryLeases(clock);
    done = [];
  });

  function part(holder: string): LeasedPart {
    const open = (fence: number) => ({
      start: () => void done.push(`${holder} starts ${fence}`),
      stop: async () => void done.push(`${holder} stops`),
    });
    const leased = new LeasedPart(
      { name: 'clock', holder, leaseMs, open },
      { leases, clock, background, logger },
    );
    leased.start();
    return leased;
  }

  it('is done by one, and at once by another when it is given up', async () => {
    const [a, b] = [part('a'), part('b')];
    await passed(3 * leaseMs);
    expect(done).toEqual(['a starts 1']);
    await a.stop(0);
    await passed(leaseMs / 2);
    expect(done).toEqual(['a starts 1', 'a stops', 'b starts 2']);
    await b.stop(0);
  });

  it('is left to another for good by a holder in which it cannot go on', async () => {
    const [a, b] = [part('a'), part('b')];
    await passed(leaseMs / 2);
    await a.giveUp();
    await passed(leaseMs / 2);
    await b.stop(0);
    await passed(3 * leaseMs);
    expect(done).toEqual(['a starts 1', 'a stops', 'b starts 2', 'b stops']);
    await a.stop(0);
  });

  it('is stopped when the lease cannot be renewed, and begun anew when it can', async () => {
    const a = part('a');
    await passed(leaseMs);
    leases.isDown = true;
    await passed(2 * leaseMs);
    expect(done).toEqual(['a starts 1', 'a stops']);
    leases.isDown = false;
    await passed(leaseMs);
    expect(done).toEqual(['a starts 1', 'a stops', 'a starts 1']);
    await a.stop(0);
  });

  it('is stopped by a holder that was frozen and finds that another has it', async () => {
    const a = part('a');
    await settled();
    clock.advance(0);
    expect(await leases.take('clock', 'b', leaseMs)).toBeNull();
    leases.isDown = true;
    clock.advance(leaseMs + 1);
    leases.isDown = false;
    expect(await leases.take('clock', 'b', leaseMs)).toBe(2);
    await settled();
    expect(done).toEqual(['a starts 1', 'a stops']);
    await a.stop(0);
  });
});
