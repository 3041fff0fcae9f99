import type { StreamName } from '#domain';
import type { Position, RecordedEvent, Revision } from '../envelope.js';
import type { Batch } from '../event-log.js';

/**
 * Reads from storage what the in-memory tails no longer hold. Both throw LogUnavailable, and are then
 * retried.
 */
export interface FeedSource {
  /** The events of the stream right after `after`; none at its end. */
  streamPage(stream: StreamName, after: Revision): Promise<readonly RecordedEvent[]>;
  /**
   * The matching events after `after`, and the position up to which was scanned; at the end of the log that
   * is `after`.
   */
  logPage(after: Position, prefixes: readonly string[]): Promise<Batch>;
}
