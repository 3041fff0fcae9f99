import { Backoff, type Clock } from '#platform';
import { McpFailure } from './mcp-failure.js';
import type { Notice } from './mcp-wire.js';

const tries = 5;
const pauses = { firstMs: 500, longestMs: 8_000 };
/** A subscription that lasted so long has worked. */
const steadyMs = 5_000;

/**
 * Calls `onChange` whenever the server says that its tools have changed, for as long as it lets us listen. A subscription
 * that was lost is made anew; whatever changed in between counts as a change. Never rejects.
 *
 * @param listen makes one subscription, and settles when it has ended
 */
export async function followToolChanges(
  listen: (onNotice: (notice: Notice) => void) => Promise<unknown>,
  clock: Clock,
  signal: AbortSignal,
  onChange: () => void,
): Promise<void> {
  const backoff = new Backoff(clock, pauses);
  let isAnew = false;
  const onNotice = ({ method }: Notice) => {
    const isMissed = isAnew && method === 'notifications/subscriptions/acknowledged';
    if (isMissed || method === 'notifications/tools/list_changed') onChange();
  };
  while (backoff.count < tries && !signal.aborted) {
    const since = clock.now();
    try {
      await listen(onNotice);
    } catch (error) {
      // It does not want to be listened to.
      if (!(error instanceof McpFailure) || error.kind === 'refused') return;
    }
    isAnew = true;
    if (clock.now() - since > steadyMs) backoff.reset();
    await backoff.wait(signal);
  }
}
