import type { StreamName } from '#domain';
import type { Clock } from '#platform';
import type { Position, RecordedEvent, Revision } from '../envelope.js';
import type { Batch } from '../event-log.js';
import { AllSubscription } from './all-subscription.js';
import type { FeedSource } from './feed-source.js';
import { LogTail } from './log-tail.js';
import { StreamSubscription } from './stream-subscription.js';
import { StreamTails } from './stream-tails.js';
import { OpenSubscriptions } from './subscription.js';

export interface FeedLimits {
  /** Estimated bytes that the tails of all streams may hold together. */
  readonly streamTailBytes: number;
  /** Estimated bytes that the tail of the whole log may hold. */
  readonly logTailBytes: number;
}

const FEED_LIMITS: FeedLimits = { streamTailBytes: 8 * 1024 * 1024, logTailBytes: 8 * 1024 * 1024 };

/**
 * In-memory fan-out of newly stored events to this process's subscribers. Owns the tails (most recent events)
 * and the subscribers that wait.
 * 1. A subscriber's cursor is its revision or position; it only gets what follows, so nothing is delivered
 *    twice.
 * 2. What a tail no longer holds is read from the log, so nothing is skipped.
 * 3. Subscribers pull: what they have not pulled is in a bounded tail that all share, or in the log.
 */
export class LiveFeed {
  private readonly streams: StreamTails;
  private readonly log: LogTail;
  private readonly siblings = new OpenSubscriptions();

  constructor(
    private readonly source: FeedSource,
    private readonly clock: Clock,
    limits: FeedLimits = FEED_LIMITS,
  ) {
    this.streams = new StreamTails(limits.streamTailBytes);
    this.log = new LogTail(limits.logTailBytes, clock);
  }

  /** From this position on every event of the log will be passed to `logGrew`. */
  startAfter(position: Position): void {
    this.log.startAfter(position);
  }

  /** Adds stored events of one stream, contiguous and in order; known ones are ignored. */
  streamGrew(stream: StreamName, events: readonly RecordedEvent[]): void {
    const isNews = (events.at(-1)?.position ?? 0) > this.log.heardUpTo;
    // More may have been heard since: a tail that begins with these would take their end for the stream's.
    if (isNews || this.streams.has(stream)) this.streams.add(stream, events);
  }

  /**
   * Adds the next events of the whole log, contiguous, after their streams have them (`streamGrew`).
   * Subscribers are notified by `wake`.
   */
  logGrew(events: readonly RecordedEvent[]): void {
    this.log.add(events);
  }

  wake(): void {
    this.log.wake();
  }

  /** Evicts these events from memory: subscribers that have not got them read them from the log. */
  forget(isGone: (event: RecordedEvent) => boolean): void {
    this.streams.forget(isGone);
    this.log.forget(isGone);
  }

  subscribeStream(
    stream: StreamName,
    after: Revision,
    signal: AbortSignal,
  ): AsyncIterable<readonly RecordedEvent[]> {
    return new StreamSubscription(this.streams, this.source, stream, after, this.lifeUntil(signal));
  }

  subscribeAll(after: Position, prefixes: readonly string[], signal: AbortSignal): AsyncIterable<Batch> {
    return new AllSubscription(this.log, this.source, after, prefixes, this.lifeUntil(signal));
  }

  /** Ends all subscriptions, without an error. */
  close(): void {
    this.siblings.isClosed = true;
    for (const subscription of this.siblings.all) subscription.end();
    this.streams.clear();
  }

  private lifeUntil(signal: AbortSignal) {
    return { clock: this.clock, signal, siblings: this.siblings };
  }
}
