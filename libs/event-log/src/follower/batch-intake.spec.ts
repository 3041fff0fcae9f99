import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { type RecordedEvent, newEvent } from '../envelope.js';
import type { Batch } from '../event-log.js';
import { BatchIntake } from './batch-intake.js';

const MB = 1024 * 1024;
const META = { schemaVersion: 1, project: 'p', actor: 'k' };

const eventAt = (position: number, chars: number): RecordedEvent => ({
  ...newEvent({ id: `${position}`, type: 't', time: 0, data: { text: 'x'.repeat(chars) } }, META),
  stream: 's',
  revision: position - 1,
  position,
});

/** What a subscription gives: pages with so many characters in each of their events. Counts those that were asked for. */
class Pages {
  pulled = 0;
  constructor(private readonly pages: readonly (readonly number[])[]) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Batch> {
    let position = 0;
    for (const sizes of this.pages) {
      this.pulled += 1;
      const events = sizes.map((chars) => eventAt(++position, chars));
      yield { events, position };
    }
  }
}

async function taken(pages: Pages, max: number): Promise<{ positions: number[][]; ends: number[] }> {
  const intake = new BatchIntake(pages, 0, new ManualClock(0), 20);
  const seen: { positions: number[][]; ends: number[] } = { positions: [], ends: [] };
  for (let batch = await intake.take(max); batch !== null; batch = await intake.take(max)) {
    seen.positions.push(batch.events.map(({ position }) => position));
    seen.ends.push(batch.position);
  }
  intake.close();
  return seen;
}

describe('the intake of a follower', () => {
  it('makes a batch of as many events as are wanted', async () => {
    const { positions } = await taken(new Pages([[1, 1, 1, 1, 1]]), 2);
    expect(positions).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('makes one of fewer where they are large, of one alone where it is larger than all may be', async () => {
    const sizes = [3 * MB, 3 * MB, 3 * MB, 20 * MB, 1, 1];
    const { positions, ends } = await taken(new Pages([sizes]), 500);
    expect(positions).toEqual([[1, 2], [3], [4], [5, 6]]);
    expect(ends).toEqual([2, 3, 4, 6]);
  });

  it('asks for no more while what waits is large', async () => {
    const pages = new Pages(Array.from({ length: 50 }, () => [MB]));
    const intake = new BatchIntake(pages, 0, new ManualClock(0), 20);
    expect((await intake.take(500))?.events).toHaveLength(7);
    expect(pages.pulled).toBe(8);
    intake.close();
  });
});
