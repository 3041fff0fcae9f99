import type { Background, Clock, Logger } from '#platform';
import type { Heartbeat, Heartbeats } from './heartbeats.js';
import type { ReplicaTimes } from './replica-times.js';

/** `silent`: no heartbeat for one lease. `gone`: none for three, or it has left, is certainly dead, or is unknown. */
export type ReplicaState = 'alive' | 'silent' | 'gone';

export interface MembershipPorts {
  readonly heartbeats: Heartbeats;
  readonly clock: Clock;
  readonly background: Background;
  readonly logger: Logger;
}

/** Leases to wait before a replica counts as gone: a claim of a run with tool servers ends that run. */
const LEASES_UNTIL_GONE = 3;
/** A connection that is gone for so long stays gone: a replica that lives makes a new one at once. */
const CUT_MS = 600;

/**
 * Membership of this replica, and its view of the others. Owns its own lease, and the heartbeats of the last look.
 * 1. The lease counts from before the heartbeat was sent: others never see it end earlier than this replica does.
 * 2. An unknown replica is gone, but only once this one has held its lease for a full term: heartbeats may have been
 *    lost, and live replicas reappear within that time.
 */
export class Membership {
  private heldUntil = -Infinity;
  private heardSince: number | null = null;
  private known = new Map<string, Heartbeat>();
  /** By replica: when its connection was first seen to be gone. */
  private cutSince = new Map<string, number>();
  private trouble: string | null = null;
  private readonly stopping = new AbortController();

  constructor(
    /** The name of this process and of no other, ever. */
    readonly replica: string,
    readonly times: ReplicaTimes,
    private readonly ports: MembershipPorts,
    /** Told when the lease is held (again). */
    private readonly held: () => void,
  ) {}

  /** Whether the others know that this replica lives. One that is not held claims nothing. */
  get isHeld(): boolean {
    return this.ports.clock.now() < this.heldUntil;
  }

  /** What keeps the heartbeat from being renewed, for an operator; null: nothing. */
  get problem(): string | null {
    return this.isHeld ? null : (this.trouble ?? 'the first heartbeat is under way');
  }

  /** Whether a replica without a heartbeat is known to be gone: invariant 2. */
  get knowsTheUnheard(): boolean {
    return this.heardSince !== null && this.ports.clock.now() - this.heardSince >= this.times.leaseMs;
  }

  start(): void {
    this.ports.background.start('heartbeat', () => this.beatUntilStopped());
  }

  /** Says nothing more; whatever is left here may be claimed by the others at once. */
  async leave(): Promise<void> {
    this.stopping.abort(new Error('the replica leaves'));
    this.heldUntil = -Infinity;
    try {
      await this.ports.heartbeats.leave(this.replica);
    } catch (error) {
      this.ports.logger.warn({ err: error }, 'the others learn only by silence that this replica has ended');
    }
  }

  /** Reads the heartbeats of all. @throws where they cannot be read */
  async look(): Promise<void> {
    const all = await this.ports.heartbeats.all();
    this.known = new Map(all.map((heartbeat) => [heartbeat.replica, heartbeat]));
    const now = this.ports.clock.now();
    const cut = all.filter(({ sign }) => sign === 'cut');
    this.cutSince = new Map(cut.map(({ replica }) => [replica, this.cutSince.get(replica) ?? now]));
  }

  /** As of the last look. */
  stateOf(replica: string): ReplicaState {
    if (replica === this.replica) return 'alive';
    const heartbeat = this.known.get(replica);
    if (heartbeat === undefined) return this.knowsTheUnheard ? 'gone' : 'alive';
    const { silentMs, leaseMs, hasLeft, sign } = heartbeat;
    if (hasLeft || sign === 'ended' || this.isCutForLong(replica)) return 'gone';
    if (silentMs > leaseMs * LEASES_UNTIL_GONE) return 'gone';
    return silentMs > leaseMs ? 'silent' : 'alive';
  }

  /** Those that do not live, as of the last look. */
  absent(): ReadonlyMap<string, ReplicaState> {
    const states = [...this.known.keys()].map((replica) => [replica, this.stateOf(replica)] as const);
    return new Map(states.filter(([, state]) => state !== 'alive'));
  }

  private isCutForLong(replica: string): boolean {
    return this.ports.clock.now() - (this.cutSince.get(replica) ?? Infinity) >= CUT_MS;
  }

  private async beatUntilStopped(): Promise<void> {
    const { clock } = this.ports;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.beat();
      await clock.sleep(this.times.beatMs, signal).catch(() => undefined);
    }
  }

  private async beat(): Promise<void> {
    const { clock, heartbeats, logger } = this.ports;
    const wasHeld = this.isHeld;
    const sentAt = clock.now();
    try {
      await heartbeats.beat(this.replica, this.times.leaseMs);
    } catch (error) {
      if (this.trouble === null) logger.warn({ err: error }, 'the heartbeat could not be renewed');
      this.trouble = error instanceof Error ? error.message : String(error);
      return;
    }
    if (this.stopping.signal.aborted) return;
    this.trouble = null;
    this.heldUntil = sentAt + this.times.leaseMs;
    if (!this.isHeld) return;
    if (!wasHeld || this.heardSince === null) this.heardSince = sentAt;
    if (!wasHeld) this.held();
  }
}
