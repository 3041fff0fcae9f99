import { type Clock, type Logger } from '#platform';
import { ERASED, shownAs, StoredEvent, openLoaded, type PageTerms } from '#event-log';
import type { HeardReply } from './protocol.js';
import type { SentEvents } from './sent-events.js';

/** The keys of what was heard could not be asked for: they are asked for again after this. */
const KEYS_RETRY_MS = 1_000;

export interface HeardEvent {
  readonly event: StoredEvent;
  /** Subscribers of its stream know it. */
  readonly isTold: boolean;
}

/**
 * Makes events of what the thread has heard. Owns what waits for its keys, and what came behind that.
 * Events are given in the order in which they were heard.
 */
export class HeardEvents {
  private waiting: HeardReply[] = [];
  private isLoading = false;
  /** Of the first that waits. */
  private lost: readonly string[] = [];
  private readonly stopping = new AbortController();

  constructor(
    private readonly sent: SentEvents,
    private readonly terms: PageTerms,
    private readonly ports: { readonly clock: Clock; readonly logger: Logger },
    private readonly give: (events: readonly HeardEvent[]) => void,
  ) {}

  take(heard: HeardReply): void {
    this.waiting.push(heard);
    if (!this.isLoading) this.giveNext();
  }

  stop(): void {
    this.stopping.abort();
    this.waiting = [];
  }

  private giveNext(): void {
    for (let heard = this.waiting[0]; heard !== undefined; heard = this.waiting[0]) {
      const { keys } = this.terms;
      const { unknown = [] } = heard;
      const { lost } = this;
      const isMissing = (id: string): boolean => keys?.peek(id) === undefined && !lost.includes(id);
      if (keys !== null && unknown.some(isMissing)) return void this.load(unknown);
      this.lost = [];
      this.terms.known.give(unknown);
      this.waiting.shift();
      this.give(this.eventsOf(heard, lost));
    }
  }

  private async load(unknown: readonly string[]): Promise<void> {
    const { clock, logger } = this.ports;
    const { signal } = this.stopping;
    this.isLoading = true;
    try {
      this.lost = (await this.terms.keys?.loadAll(unknown)) ?? [];
    } catch (error) {
      logger.warn({ err: error }, 'what is heard of the log cannot be opened yet');
      await clock.sleep(KEYS_RETRY_MS, signal).catch(() => undefined);
    }
    this.isLoading = false;
    if (!signal.aborted) this.giveNext();
  }

  private eventsOf(heard: HeardReply, lost: readonly string[]): HeardEvent[] {
    const { own } = heard;
    const events: HeardEvent[] = [];
    for (let i = 0; i < own.length; i += 3) events.push(this.sent.take(own[i]!, own[i + 1]!, own[i + 2]!));
    this.sent.forget(heard.forgotten);
    if (heard.rows.length === 0) return events;
    const isOnly = events.length === 0;
    for (const event of openLoaded(heard, this.terms, lost))
      events.push({ event: this.unlessErased(event), isTold: false });
    return isOnly ? events : events.sort((a, b) => a.event.position - b.event.position);
  }

  /** Its key may have been destroyed while it was on its way. */
  private unlessErased(event: StoredEvent): StoredEvent {
    const { keyId } = event.meta;
    if (keyId === undefined || event.isErased || this.terms.keys?.peek(keyId) !== 'destroyed') return event;
    const { id, type, time, meta } = event;
    return new StoredEvent(
      { id, type, time, meta, ...shownAs(ERASED), data: null },
      event,
      this.terms.upcast,
    );
  }
}
