import { type FoldedMessage, HistoryMessages } from '#projections';
import {
  type RecordedSessionEvent,
  type SessionId,
  asSessionEvent,
  forkOf,
  isKnownType,
  notFound,
  sessionStream,
} from '#domain';
import type { EventLog, RecordedEvent } from '#event-log';
import type { Weigh } from '#platform';

/** JSON of events whose messages are kept after the first look; of more they are read again. */
const KEPT_CHARS = 64 * 1024;
/** What a page of the log brings into memory, for Weigh. */
export const LOG_PAGE_BYTES = 512 * 1024;

export interface TailStart {
  readonly session: SessionId;
  /** All messages that began up to this revision are known already. */
  readonly foldedTo: number;
  readonly isHidden: boolean;
}

/**
 * The messages of a stream behind what the tables know, as they are at one moment: `look` finds out where the stream ends
 * and whether it was cleared, then `messages` tells them, a page at a time. What follows an event that is unknown here is
 * not known either, as for the projection.
 */
export class HistoryTail {
  /** Whether there is no event behind the start. */
  isEmpty = true;
  /** Whether a fork begins behind it. */
  isFork = false;
  /** The last revision that counts. */
  private end = -1;
  /** Of the last clear: everything before is gone. */
  private clearedAt: number | null = null;
  /** Where a fold has to begin that shows what came after the clear. */
  private resumesAt: number | null = null;
  /** null: too many. */
  private kept: HistoryMessages | null;

  constructor(
    private readonly log: EventLog,
    private readonly start: TailStart,
    private readonly weigh: Weigh,
  ) {
    this.kept = new HistoryMessages(start.isHidden);
  }

  get isCleared(): boolean {
    return this.clearedAt !== null;
  }

  /** @param isFirst told of the first event @throws Problem not_found: erased; LogUnavailable */
  async look(isFirst: (event: RecordedEvent) => void = () => undefined): Promise<void> {
    const { session, foldedTo: after } = this.start;
    let claimedAt: number | null = null;
    let chars = 0;
    for await (const page of this.log.readStream(sessionStream(session), { after })) {
      if (this.isEmpty) isFirst(page[0]!);
      this.isEmpty = false;
      requireUnerased(page);
      for (const event of page.map(knownEvent)) {
        if (event === null) return;
        if (event.type === 'run_claimed') claimedAt = event.revision;
        else if (event.type === 'agent_started') claimedAt = null;
        else if (event.type === 'session_opened') this.isFork = forkOf(event.data) !== null;
        else if (event.type === 'messages_cleared') {
          this.clearedAt = event.revision;
          this.resumesAt = claimedAt ?? event.revision;
        }
        this.end = event.revision;
        chars += event.json.length;
        if (chars > KEPT_CHARS) this.kept = null;
        this.kept?.push(event);
      }
      if (this.kept === null) await this.weigh(LOG_PAGE_BYTES);
    }
  }

  /** After `look`. @throws Problem not_found: erased meanwhile; LogUnavailable */
  async *messages(): AsyncGenerator<readonly FoldedMessage[]> {
    if (this.kept !== null) return yield this.kept.finish();
    const fold = new HistoryMessages(this.start.isHidden);
    const after = this.resumesAt === null ? this.start.foldedTo : this.resumesAt - 1;
    for await (const page of this.log.readStream(sessionStream(this.start.session), { after })) {
      requireUnerased(page);
      for (const event of page) if (event.revision <= this.end) fold.push(asSessionEvent(event));
      const { revision } = page.at(-1)!;
      if (revision >= this.end) break;
      if (revision >= (this.clearedAt ?? -1)) yield fold.take();
    }
    yield fold.finish();
  }
}

/** @throws Problem not_found */
export function requireUnerased(page: readonly RecordedEvent[]): void {
  if (page.some(({ isErased, type }) => isErased || type === 'session_erased')) throw notFound('the session');
}

type KnownEvent = RecordedEvent & RecordedSessionEvent;

/** null: only a newer version knows it. */
export const knownEvent = (event: RecordedEvent): KnownEvent | null =>
  isKnownType(event.type) ? (asSessionEvent(event) as KnownEvent) : null;
