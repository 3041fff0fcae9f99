/**
 * Evidence of a replica's death besides silence. `cut`: its heartbeat connection is gone while the database was up; a
 * live one reconnects in a moment. `ended`: its process has exited.
 */
export type EndSign = 'none' | 'cut' | 'ended';

/** Last known state of a replica. */
export interface Heartbeat {
  readonly replica: string;
  /** ms since its last heartbeat, by the clock of the store. */
  readonly silentMs: number;
  /** Its lease: how long it may be silent. */
  readonly leaseMs: number;
  /** It shut down in order and will not come back. */
  readonly hasLeft: boolean;
  readonly sign: EndSign;
}

/** Port: liveness of the replicas of one log. Every call fails where that cannot be told. */
export abstract class Heartbeats {
  /** Records a heartbeat; the next follows within `leaseMs`. */
  abstract beat(replica: string, leaseMs: number): Promise<void>;

  /** All known replicas: the live ones, and dead ones for a day at least. */
  abstract all(): Promise<readonly Heartbeat[]>;

  /** Records an orderly shutdown: the replica's work may be claimed at once. */
  abstract leave(replica: string): Promise<void>;
}

/** Port: leases for work that one replica at a time does. Every call fails where that cannot be told. */
export abstract class Leases {
  /**
   * Acquires a free lease, or renews the holder's own.
   * @returns its fencing token, which rises with every change of holder; null: somebody else holds it
   */
  abstract take(name: string, holder: string, leaseMs: number): Promise<number | null>;

  /** Releases the lease, so that another may take it at once; a no-op where somebody else holds it. */
  abstract release(name: string, holder: string): Promise<void>;

  /** Releases all leases of a holder that is known to be dead. */
  abstract releaseAll(holder: string): Promise<void>;
}
