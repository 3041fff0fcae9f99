import type { RecordedEvent } from '#event-log';
import { at, require } from './evidence.js';

/** I9 and I8: the rows are what the log holds, each event once and in order, and the follower is at the head. */
export function checkProjection(
  log: readonly RecordedEvent[],
  prefix: string,
  rows: readonly number[],
  position: number,
): void {
  const expected = log.filter((event) => event.stream.startsWith(prefix));
  for (const [i, event] of expected.entries())
    require(rows[i] === event.position, 'I9 rows are what the log holds', () =>
      `row ${i}: ${rows[i]}, not ${at(event)}`);
  require(rows.length === expected.length, 'I9 rows are what the log holds', () => `${rows.length} rows`);
  const last = expected.at(-1)?.position ?? 0;
  require(position >= last, 'I8 followers reach the head', () => `at ${position} of ${last}`);
}
