import type { StreamName } from '#domain';
import type { Clock, Random } from '#platform';
import type { NewEvent } from './envelope.js';
import {
  type AppendOptions,
  AppendOutcomeUnknown,
  type AppendResult,
  type EventLog,
  LogUnavailable,
} from './event-log.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Appends until it is known what became of it: an unknown outcome is followed by the identical batch at the same
 * expected revision, which the log recognises. Under `any` and `stream_exists` it does not, so there the batch may be
 * stored twice: whoever reads it must know it by its ids.
 * @throws LogUnavailable when nothing was tried, EventTooLarge, AppendOutcomeUnknown once the signal is aborted
 */
export function appendUntilDefinite(
  log: EventLog,
  clock: Clock,
  random: Random,
  stream: StreamName,
  events: readonly NewEvent[],
  { signal, ...options }: AppendOptions & { readonly signal?: AbortSignal },
): Promise<AppendResult> {
  const append = () => log.append(stream, events, options);
  return append().catch((error: unknown) => again(error, append, clock, random, signal));
}

async function again(
  failure: unknown,
  append: () => Promise<AppendResult>,
  clock: Clock,
  random: Random,
  signal: AbortSignal | undefined,
): Promise<AppendResult> {
  let error = failure;
  let unknown: AppendOutcomeUnknown | null = null;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    if (error instanceof AppendOutcomeUnknown) unknown = error;
    // Refused this time, but an earlier try may be stored.
    else if (unknown === null || !(error instanceof LogUnavailable)) throw error;
    if (signal?.aborted) throw unknown;
    await clock.sleep(pauseMs * (0.5 + random.jitter() / 2), signal).catch(() => {
      throw unknown;
    });
    try {
      return await append();
    } catch (next) {
      error = next;
    }
  }
}
