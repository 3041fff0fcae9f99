import type { Clock } from '#platform';
import { DatabaseRefusal, SQL_LIMITS, TOOK_TOO_LONG, TOO_LARGE } from '../callers-database.js';

const LOOK_MS = 50;
/** The database stops a query by itself; this is for one that does not. */
const GRACE_MS = 2_000;

/** A connection that can be cut. */
export interface Watched {
  bytesRead(): number;
  destroy(): void;
}

/** Does the work, and cuts the connection when it takes too long, brings too much, or is not wanted any more. */
export async function guarded<T>(
  connection: Watched,
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const done = new AbortController();
  const watch = async (): Promise<never> => {
    const end = clock.now() + SQL_LIMITS.connectMs + SQL_LIMITS.timeoutMs + GRACE_MS;
    for (;;) {
      await clock.sleep(LOOK_MS, done.signal);
      if (signal.aborted) throw signal.reason as Error;
      if (connection.bytesRead() > SQL_LIMITS.bytes) throw new DatabaseRefusal(TOO_LARGE);
      if (clock.now() >= end) throw new DatabaseRefusal(TOOK_TOO_LONG);
    }
  };
  const working = work();
  const watching = watch();
  // Whichever comes second has nobody who waits for it.
  working.catch(() => undefined);
  watching.catch(() => undefined);
  try {
    return await Promise.race([working, watching]);
  } finally {
    done.abort();
    connection.destroy();
  }
}
