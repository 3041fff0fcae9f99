import type { StreamName } from '#domain';
import { Backoff, type Clock, type Random } from '#platform';
import type { NewEvent } from './envelope.js';
import {
  type AppendOptions,
  AppendOutcomeUnknown,
  type AppendResult,
  type EventLog,
  LogUnavailable,
} from './event-log.js';

const PAUSES = { firstMs: 50, longestMs: 5_000 };

/**
 * Retries an append until its outcome is known: after an unknown outcome it sends the identical batch at the
 * same expected revision, which the log recognises (idempotent). Under `any` and `stream_exists` it does not,
 * so the batch may be stored twice and readers must deduplicate it by event id.
 * @throws LogUnavailable when nothing was stored, EventTooLarge, AppendOutcomeUnknown once the signal is
 * aborted
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
  const backoff = new Backoff(clock, PAUSES, random);
  for (;;) {
    if (error instanceof AppendOutcomeUnknown) unknown = error;
    // Refused this time, but an earlier try may be stored.
    else if (unknown === null || !(error instanceof LogUnavailable)) throw error;
    await backoff.wait(signal);
    if (signal?.aborted) throw unknown;
    try {
      return await append();
    } catch (next) {
      error = next;
    }
  }
}
