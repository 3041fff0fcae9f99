import type { Clock } from '#platform';

/** What was waited for did not come in time, or is not waited for any more. What became of it is not known. */
export class WaitAbandoned extends Error {
  override readonly name = 'WaitAbandoned';
}

/**
 * The client has no way to give up waiting: this leaves it waiting.
 * @throws WaitAbandoned after `ms`, or as soon as the signal is aborted
 */
export async function bounded<T>(
  clock: Clock,
  ms: number,
  what: string,
  work: Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const given = Promise.withResolvers<never>();
  const giveUp = (why: string) => () => given.reject(new WaitAbandoned(`${what}: ${why}`));
  const cancel = clock.timer(ms, giveUp(`no answer within ${ms} ms`));
  const stopped = giveUp('stopped');
  if (signal?.aborted) stopped();
  signal?.addEventListener('abort', stopped, { once: true });
  try {
    return await Promise.race([work, given.promise]);
  } finally {
    cancel();
    signal?.removeEventListener('abort', stopped);
    // Whatever is not waited for any more may still fail.
    work.catch(() => undefined);
  }
}

const CLOSE_MS = 2_000;

/** Lets go of a connection; one that hangs is left. */
export async function closeQuietly(
  clock: Clock,
  closing: { disconnect(): Promise<void> } | null,
): Promise<void> {
  if (closing === null) return;
  await bounded(clock, CLOSE_MS, 'closing a connection', closing.disconnect()).catch(() => undefined);
}
