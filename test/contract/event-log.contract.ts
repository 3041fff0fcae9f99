import { afterAll, beforeAll, describe } from '@jest/globals';
import type { EventLog } from '#event-log';
import { appendContract } from './event-log/appends.js';
import { endingContract } from './event-log/endings.js';
import type { LogHarness, MakeLogHarness } from './event-log/harness.js';
import { liveContract } from './event-log/live.js';
import { readContract } from './event-log/reads.js';
import { racingContract } from './event-log/racing.js';
import { sealedContract } from './event-log/sealed.js';

/** What every adapter of the EventLog port must do. `makeHarness` is called for each part. */
export function eventLogContract(name: string, makeHarness: MakeLogHarness): void {
  const part = (title: string, tests: (log: () => EventLog, harness: () => LogHarness) => void) =>
    describe(title, () => {
      let harness: LogHarness;
      beforeAll(async () => {
        harness = await makeHarness();
      });
      afterAll(() => harness.dispose());
      tests(
        () => harness.log,
        () => harness,
      );
    });

  describe(`event log: ${name}`, () => {
    part('appends', appendContract);
    part('reads', readContract);
    part('subscriptions', liveContract);
    part('many writers at once', racingContract);
    part('keys and proofs', (_, harness) => sealedContract(harness));
    describe('endings', () => endingContract(makeHarness));
  });
}
