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
 * The hub between a log's acknowledgements and this process's subscribers. Owns the recent tails and who waits for them.
 * 1. A subscriber's place is its revision or position; it is given only what follows it, so nothing comes twice.
 * 2. What a tail does not hold is read from the log, so nothing is left out.
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

  /** From here on every event of the log will be handed to `logGrew`. */
  startAfter(position: Position): void {
    this.log.startAfter(position);
  }

  /** Stored events of one stream, in order and without gaps among them. Those that were heard before do no harm. */
  streamGrew(stream: StreamName, events: readonly RecordedEvent[]): void {
    const isNews = (events.at(-1)?.position ?? 0) > this.log.heardUpTo;
    // More may have been heard since: a tail that begins with these would take their end for the stream's.
    if (isNews || this.streams.has(stream)) this.streams.add(stream, events);
  }

  /** The next events of the whole log, without a gap to those before, once their streams have. Their subscribers hear them at `wake`. */
  logGrew(events: readonly RecordedEvent[]): void {
    this.log.add(events);
  }

  wake(): void {
    this.log.wake();
  }

  /** Keeps none of these events in memory: whoever has not heard them reads them from the log. */
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
