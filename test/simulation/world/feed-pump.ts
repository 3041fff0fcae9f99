import { type LiveFeed, type NewEvent, type RecordedEvent, StoredEvent } from '#event-log';
import type { Owner } from '../engine/scheduler.js';
import { type SimWorld, latency, strikes } from './sim-world.js';

/**
 * Carries what the log stored to one worker's live feed, as an adapter does from its one subscription to the whole log:
 * late, in pieces, twice, or after a dropped connection. The feed above it must hide all of that.
 */
export class FeedPump {
  private delivered: number;
  private isPlanned = false;
  private readonly listener = () => this.planSoon();

  constructor(
    private readonly world: SimWorld,
    private readonly owner: Owner,
    private readonly feed: LiveFeed,
  ) {
    this.delivered = world.store.head;
    world.store.listeners.add(this.listener);
  }

  /** Position up to which everything was delivered. */
  get position(): number {
    return this.delivered;
  }

  close(): void {
    this.world.store.listeners.delete(this.listener);
  }

  /** The worker's own append, which it hears of before the subscription brings it. */
  acknowledged(stream: string, first: number, last: number): void {
    const { store } = this.world;
    this.feed.streamGrew(stream, store.readable(store.stream(stream).slice(first, last + 1)));
    this.feed.wake();
  }

  showEarly(stream: string, events: readonly NewEvent[]): void {
    const { store } = this.world;
    const first = store.lastOf(stream) + 1;
    const shown = events.map((event, i) => {
      return new StoredEvent(event, { stream, revision: first + i, position: store.head + i + 1 });
    });
    this.feed.streamGrew(stream, shown);
    this.feed.wake();
  }

  private planSoon(delayMs = 0): void {
    if (!this.owner.isAlive) return this.close();
    if (this.isPlanned) return;
    this.isPlanned = true;
    this.world.scheduler.after(this.owner, delayMs + latency(this.world), 'feed', () => {
      this.isPlanned = false;
      this.deliver();
    });
  }

  private deliver(): void {
    const { store, tape, flaw } = this.world;
    const waiting = store.head - this.delivered;
    if (waiting <= 0) return;
    if (strikes(this.world, 'feedDropped')) {
      if (flaw === 'events_skipped') this.delivered = store.head;
      return this.planSoon(50 + tape.choose(3000));
    }
    const from = strikes(this.world, 'feedDuplicated') ? this.delivered - tape.choose(6) : this.delivered;
    const count = strikes(this.world, 'feedBehind') ? 1 + tape.choose(waiting) : waiting;
    this.hand(store.readable(store.all.slice(Math.max(0, from), this.delivered + count)));
    if (this.delivered < store.head) this.planSoon();
  }

  private hand(events: readonly RecordedEvent[]): void {
    const fresh = events.filter((event) => event.position > this.delivered);
    this.delivered += fresh.length;
    let start = 0;
    for (let i = 1; i <= events.length; i++) {
      const { stream } = events[start] as RecordedEvent;
      if (i < events.length && events[i]?.stream === stream) continue;
      this.feed.streamGrew(stream, events.slice(start, i));
      start = i;
    }
    this.feed.logGrew(fresh);
    this.feed.wake();
  }
}
