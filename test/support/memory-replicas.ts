import type { Clock } from '#platform';
import { type EndSign, type Heartbeat, Heartbeats, Leases } from '#replicas';

interface Beat {
  readonly at: number;
  readonly leaseMs: number;
  readonly hasLeft: boolean;
}

/** Heartbeats in memory, by a clock that a test may hold; `isDown`: nothing can be read or said. */
export class MemoryHeartbeats extends Heartbeats {
  isDown = false;
  /** By replica. */
  readonly signs = new Map<string, EndSign>();
  private readonly beats = new Map<string, Beat>();

  constructor(private readonly clock: Clock) {
    super();
  }

  override async beat(replica: string, leaseMs: number): Promise<void> {
    this.requireUp();
    this.beats.set(replica, { at: this.clock.now(), leaseMs, hasLeft: false });
  }

  override async all(): Promise<readonly Heartbeat[]> {
    this.requireUp();
    const now = this.clock.now();
    return [...this.beats].map(([replica, { at, ...beat }]) => {
      const sign = this.signs.get(replica) ?? 'none';
      return { replica, silentMs: now - at, ...beat, sign };
    });
  }

  override async leave(replica: string): Promise<void> {
    this.requireUp();
    const beat = this.beats.get(replica);
    if (beat !== undefined) this.beats.set(replica, { ...beat, hasLeft: true });
  }

  private requireUp(): void {
    if (this.isDown) throw new Error('the heartbeats are down');
  }
}

interface Held {
  holder: string;
  fence: number;
  until: number;
}

/** Leases in memory. */
export class MemoryLeases extends Leases {
  isDown = false;
  private readonly held = new Map<string, Held>();

  constructor(private readonly clock: Clock) {
    super();
  }

  override async take(name: string, holder: string, leaseMs: number): Promise<number | null> {
    if (this.isDown) throw new Error('the leases are down');
    const now = this.clock.now();
    const known = this.held.get(name);
    if (known !== undefined && known.holder !== holder && known.until >= now) return null;
    const fence = known === undefined ? 1 : known.fence + (known.holder === holder ? 0 : 1);
    this.held.set(name, { holder, fence, until: now + leaseMs });
    return fence;
  }

  override async release(name: string, holder: string): Promise<void> {
    const known = this.held.get(name);
    if (known?.holder === holder) known.until = -Infinity;
  }

  override async releaseAll(holder: string): Promise<void> {
    for (const held of this.held.values()) if (held.holder === holder) held.until = -Infinity;
  }
}
