import { type Background, type Clock, type Logger, closeInOrder } from '#platform';
import type { Leases } from './heartbeats.js';

/** A component that works until it is stopped. */
export interface Part {
  start(): void;
  /** Resolves when it has stopped, within little more than `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface LeasedPartOptions {
  readonly name: string;
  /** The process that would hold it. */
  readonly holder: string;
  readonly leaseMs: number;
  /**
   * Opens the component for one term of the lease; its external effects must tolerate a rival from an earlier term.
   */
  readonly open: (fence: number) => Part;
}

export interface LeasedPartPorts {
  readonly leases: Leases;
  readonly clock: Clock;
  readonly background: Background;
  readonly logger: Logger;
}

/** A holder that may not go on cannot wait for long. */
const LOST_GRACE_MS = 500;
const RENEWALS = 4;

/**
 * A singleton component: runs on the one replica that holds the lease. Owns the component while it does.
 * 1. The lease counts from before its request was sent, and the component is stopped when it ends, whatever delays
 *    the renewal.
 * 2. A holder that was frozen may act briefly after its lease: appends are fenced by the log, other effects by the
 *    fencing token `fence`.
 */
export class LeasedPart {
  private part: Part | null = null;
  private heldUntil = -Infinity;
  private isAsking = false;
  private readonly stopping = new AbortController();
  private whenEnded: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: LeasedPartOptions,
    private readonly ports: LeasedPartPorts,
  ) {}

  /** Whether this process does it now. */
  get isHeld(): boolean {
    return this.part !== null;
  }

  get name(): string {
    return this.options.name;
  }

  start(): void {
    const ended = Promise.withResolvers<void>();
    this.whenEnded = ended.promise;
    this.ports.background.start(`lease ${this.options.name}`, async () => {
      await this.holdUntilStopped().finally(ended.resolve);
    });
  }

  /** Ends the part and gives the lease up, so that another replica goes on at once. */
  async stop(graceMs: number): Promise<void> {
    this.stopping.abort(new Error('the replica gives its leases up'));
    await this.whenEnded;
    const { part } = this;
    this.part = null;
    const { name, holder } = this.options;
    await closeInOrder(
      () => part?.stop(graceMs),
      // Otherwise it ends by itself.
      () => this.ports.leases.release(name, holder).catch(() => undefined),
    );
  }

  /** The part cannot go on in this process, which does not ask for the lease again. */
  giveUp(): Promise<void> {
    return this.stop(LOST_GRACE_MS);
  }

  private async holdUntilStopped(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      if (!this.isAsking) this.ask();
      await this.ports.clock.sleep(this.options.leaseMs / RENEWALS, signal).catch(() => undefined);
      // Invariant 1.
      if (!signal.aborted && this.part !== null && this.ports.clock.now() >= this.heldUntil)
        await this.lose('it could not be renewed');
    }
  }

  /** Not awaited: an answer that does not come must not keep the lease from ending. */
  private ask(): void {
    const { clock, background, leases } = this.ports;
    const { name, holder, leaseMs } = this.options;
    this.isAsking = true;
    const sentAt = clock.now();
    background.start(`lease ${name}`, async () => {
      try {
        const fence = await leases.take(name, holder, leaseMs);
        if (this.stopping.signal.aborted) return;
        if (fence === null) await this.lose('another replica has it');
        else this.hold(fence, sentAt + leaseMs);
      } catch (error) {
        if (this.part !== null)
          this.ports.logger.warn({ err: error, lease: name }, 'a lease was not renewed');
      } finally {
        this.isAsking = false;
      }
    });
  }

  private hold(fence: number, until: number): void {
    this.heldUntil = until;
    if (this.part !== null || this.ports.clock.now() >= until) return;
    const { name, open } = this.options;
    this.ports.logger.info({ lease: name, fence }, 'this replica does it now');
    this.part = open(fence);
    this.part.start();
  }

  private async lose(reason: string): Promise<void> {
    const { part } = this;
    if (part === null) return;
    this.part = null;
    this.ports.logger.warn({ lease: this.options.name, reason }, 'this replica does it no longer');
    await part.stop(LOST_GRACE_MS);
  }
}
