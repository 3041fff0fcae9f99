/**
 * What is known of a replica's end besides its silence. `cut`: the connection that carries its heartbeat is gone, and what
 * keeps the heartbeats was there all the time; one that lives is back in a moment. `ended`: its process is no more.
 */
export type EndSign = 'none' | 'cut' | 'ended';

/** What is known of a replica. */
export interface Heartbeat {
  readonly replica: string;
  /** ms since it last said that it lives, by the clock of whoever keeps the heartbeats. */
  readonly silentMs: number;
  /** How long it may be silent. */
  readonly leaseMs: number;
  /** It has ended in order and will not come back. */
  readonly hasLeft: boolean;
  readonly sign: EndSign;
}

/** Port: what tells the replicas of one log which of them live. Every call fails where that cannot be said. */
export abstract class Heartbeats {
  /** The replica lives, and will say so again within `leaseMs`. */
  abstract beat(replica: string, leaseMs: number): Promise<void>;

  /** All replicas that are remembered: the living, and for a day at least those that were. */
  abstract all(): Promise<readonly Heartbeat[]>;

  /** The replica has ended what it did: whatever is left of it may be claimed at once. */
  abstract leave(replica: string): Promise<void>;
}

/** Port: work that one replica at a time does holds a lease. Every call fails where that cannot be said. */
export abstract class Leases {
  /**
   * Takes the lease where nobody holds it, and renews it where the holder does.
   * @returns its fence, which rises with every other holder; null: somebody else holds it
   */
  abstract take(name: string, holder: string, leaseMs: number): Promise<number | null>;

  /** Gives it up, so that another may take it at once. Nothing happens where somebody else holds it. */
  abstract release(name: string, holder: string): Promise<void>;

  /** Gives up all that a holder has who is known to be no more. */
  abstract releaseAll(holder: string): Promise<void>;
}
