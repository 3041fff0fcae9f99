import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { HostBulkhead } from './host-bulkhead.js';

/** Works at one host; each is over when it is told. */
function world() {
  const bulkhead = new HostBulkhead();
  const running: ((isAnswered: boolean) => void)[] = [];
  const begin = (count: number): void => {
    for (let i = 0; i < count; i++)
      void bulkhead.with('http://host', () => new Promise<boolean>((resolve) => running.push(resolve)));
  };
  /** All that run end in one moment, as attempts do that have the same deadline. */
  const endAll = (isAnswered: boolean): void => running.splice(0).forEach((end) => end(isAnswered));
  return { begin, endAll, running };
}

describe('attempts to one receiver', () => {
  it('are eight at most, also where all places were left at once', async () => {
    const { begin, endAll, running } = world();
    begin(9);
    await setImmediate();
    expect(running).toHaveLength(8);
    endAll(true);
    await setImmediate();
    begin(20);
    await setImmediate();
    expect(running).toHaveLength(8);
  });

  it('are two while it fails, also where all of them ran out of time at once', async () => {
    const { begin, endAll, running } = world();
    begin(9);
    await setImmediate();
    endAll(false);
    await setImmediate();
    begin(20);
    await setImmediate();
    expect(running).toHaveLength(2);
    endAll(true);
    await setImmediate();
    expect(running).toHaveLength(8);
  });
});
