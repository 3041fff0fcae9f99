import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** As Linux counts: 0 is usual, 19 the last. */
const NICENESS = 15;

/** Lets this thread work when nobody else wants the processor. Linux counts threads singly; elsewhere nothing is done. */
export function yieldToOthers(): void {
  try {
    const thread = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))?.[1];
    if (thread !== undefined) setPriority(Number(thread), NICENESS);
  } catch {
    // It is slower for the others, not wrong.
  }
}
