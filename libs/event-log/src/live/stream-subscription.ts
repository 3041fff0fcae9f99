import type { StreamName } from '#domain';
import type { Clock } from '#platform';
import type { RecordedEvent, Revision } from '../envelope.js';
import type { FeedSource } from './feed-source.js';
import type { StreamTail, StreamTails } from './stream-tails.js';
import { Subscription, type OpenSubscriptions } from './subscription.js';

/** Cursor of one subscriber over one stream. */
export class StreamSubscription extends Subscription<readonly RecordedEvent[]> {
  private tail!: StreamTail;
  private page: readonly RecordedEvent[] = [];
  private hasSeenEnd = false;

  constructor(
    private readonly tails: StreamTails,
    private readonly source: FeedSource,
    private readonly stream: StreamName,
    public after: Revision,
    life: { clock: Clock; signal: AbortSignal; siblings: OpenSubscriptions },
  ) {
    super(life.clock, life.signal, life.siblings);
  }

  protected override join(): void {
    this.tail = this.tails.join(this.stream, this);
  }

  protected override leave(): void {
    this.tails.leave(this.stream, this);
  }

  protected override take(): readonly RecordedEvent[] | undefined {
    const events = this.page.length > 0 ? this.page : this.tail.after(this.after);
    this.page = [];
    if (events !== undefined) this.after = events.at(-1)!.revision;
    return events;
  }

  protected override mustRead(): boolean {
    return this.tail.goesBeyond(this.after) ?? !this.hasSeenEnd;
  }

  protected override async read(): Promise<void> {
    this.page = await this.source.streamPage(this.stream, this.after);
    this.hasSeenEnd = this.page.length === 0;
  }
}
