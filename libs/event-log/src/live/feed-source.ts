import type { StreamName } from '#domain';
import type { Position, RecordedEvent, Revision } from '../envelope.js';
import type { Batch } from '../event-log.js';

/** Where a subscriber reads what the tails do not hold. Both throw LogUnavailable to be asked again later. */
export interface FeedSource {
  /** The events of the stream right after `after`; none at its end. */
  streamPage(stream: StreamName, after: Revision): Promise<readonly RecordedEvent[]>;
  /** The matching events after `after`, and how far was looked: not beyond `after` at the end of the log. */
  logPage(after: Position, prefixes: readonly string[]): Promise<Batch>;
}
