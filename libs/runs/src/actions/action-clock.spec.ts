import { describe, expect, it } from '@jest/globals';
import { type ActionId, type SessionId, notFound } from '#domain';
import { ProcessBackground, SilentLogger } from '#platform';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import type { Sessions } from '../sessions.js';
import { ActionClock } from './action-clock.js';
import { ActionIndex } from './action-index.js';

/** Names the same actions whenever it is asked, as the tables do of a stream that cannot be followed any more. */
class StuckIndex extends ActionIndex {
  constructor(private readonly actions: readonly ActionId[]) {
    super();
  }

  override askedAt(): Promise<null> {
    return Promise.resolve(null);
  }

  override due(_now: number, limit: number): Promise<readonly ActionId[]> {
    return Promise.resolve(this.actions.slice(0, limit));
  }
}

describe('the clock of actions', () => {
  it('comes to all that are due, however many stay in the tables', async () => {
    const actions = Array.from({ length: 250 }, (_, n) => `act_ses_${n}_x`);
    const looked: SessionId[] = [];
    const use = (session: SessionId): Promise<never> => {
      looked.push(session);
      return Promise.reject(notFound('the session'));
    };
    const clock = new ManualClock();
    const logger = new SilentLogger();
    const sessions = { use } as unknown as Sessions;
    const background = new ProcessBackground(logger);
    const watched = new ActionClock({ sessions, index: new StuckIndex(actions), clock, background, logger });
    watched.start();
    for (let second = 0; second < 4; second += 1) {
      await new Promise(setImmediate);
      clock.advance(1_000);
    }
    await watched.stop();
    expect(looked).toEqual(actions.map((_, n) => `ses_${n}`));
  });
});
