import type { StreamName } from '#domain';
import type { Clock } from '#platform';
import type { Position, RecordedEvent } from '../envelope.js';
import type { Batch } from '../event-log.js';
import type { FeedSource } from './feed-source.js';
import type { LogListener, LogTail } from './log-tail.js';
import { Subscription, type OpenSubscriptions } from './subscription.js';

const BATCH_EVENTS = 500;
const OUTSIDE = -1;

/** Cursor of one subscriber over the whole log, or over the streams with its prefixes. */
export class AllSubscription extends Subscription<Batch> implements LogListener {
  private page: Batch | null = null;
  /** Index of the next event in the tail. */
  private place = OUTSIDE;
  private passed = 0;
  private mustReport = false;

  constructor(
    private readonly tail: LogTail,
    private readonly source: FeedSource,
    public after: Position,
    private readonly prefixes: readonly string[],
    life: { clock: Clock; signal: AbortSignal; siblings: OpenSubscriptions },
  ) {
    super(life.clock, life.signal, life.siblings);
  }

  protected override join(): void {
    this.tail.listeners.add(this);
  }

  protected override leave(): void {
    this.tail.listeners.delete(this);
  }

  tick(): void {
    this.mustReport = this.passed > 0;
    this.wake();
  }

  protected override take(): Batch | undefined {
    const { page } = this;
    this.page = null;
    if (page !== null) {
      this.after = page.position;
      this.place = OUTSIDE;
      return page;
    }
    return this.mustRead() ? undefined : this.takeFromTail();
  }

  protected override mustRead(): boolean {
    return this.after < this.tail.from;
  }

  protected override async read(): Promise<void> {
    const page = await this.source.logPage(this.after, this.prefixes);
    this.page = page.position > this.after ? page : null;
  }

  private takeFromTail(): Batch | undefined {
    const { tail } = this;
    if (this.place === OUTSIDE) this.place = tail.placeAfter(this.after);
    const events: RecordedEvent[] = [];
    const end = tail.endPlace;
    while (this.place < end && events.length < BATCH_EVENTS) {
      const event = tail.at(this.place);
      this.place += 1;
      // The tail may be behind a subscriber whose place comes from elsewhere, e.g. a checkpoint that a rival moved.
      if (event.position <= this.after) continue;
      this.passed += 1;
      this.after = event.position;
      if (this.isWanted(event.stream)) events.push(event);
    }
    if (events.length > 0 || this.mustReport || this.passed >= BATCH_EVENTS) {
      this.passed = 0;
      this.mustReport = false;
      return { events, position: this.after };
    }
    if (this.passed > 0) tail.tickSoon();
    return undefined;
  }

  private isWanted(stream: StreamName): boolean {
    const { prefixes } = this;
    if (prefixes.length === 0) return true;
    for (const prefix of prefixes) if (stream.startsWith(prefix)) return true;
    return false;
  }
}
