import { TurnOrder, type Waiting } from './turn-order.js';

export interface FairSemaphoreLimits {
  /** Total capacity: places, calls, bytes. */
  readonly room: number;
  /** What one name may hold of it; absent: all. */
  readonly roomEach?: number;
  /** Maximum number of waiters; absent: unlimited, where something else bounds them. */
  readonly maxWaiting?: number;
  /** The same of one name, so that none fills the queue for the others; absent: `maxWaiting`. */
  readonly maxWaitingEach?: number;
}

/** The queue is full: the waiter was refused. */
export class SemaphoreQueueFull extends Error {
  override readonly name = 'SemaphoreQueueFull';
  constructor(readonly waiting: number) {
    super(`${waiting} wait already`);
  }
}

/** Releases what was taken; a second call does nothing. */
export type GiveBack = () => void;

interface Waiter extends Waiting {
  readonly grant: () => void;
}

/**
 * A weighted semaphore that is fair between names (projects), in the order of TurnOrder. A waiter for more
 * than is free blocks those behind it, so that it is not starved. Owns what is taken.
 */
export class FairSemaphore {
  private taken = 0;
  private readonly order: TurnOrder<Waiter>;

  constructor(private readonly terms: FairSemaphoreLimits) {
    this.order = new TurnOrder(terms.roomEach ?? terms.room);
  }

  get inUse(): number {
    return this.taken;
  }

  get waiting(): number {
    return this.order.waiting;
  }

  /** Capacity that a name holds. */
  heldBy(name: string): number {
    return this.order.heldBy(name);
  }

  /**
   * Waits until this name may take `weight` of the capacity (all of it, where `weight` is more).
   * @throws SemaphoreQueueFull; the signal's reason, when it is aborted first
   */
  take(name: string, signal?: AbortSignal, weight = 1): Promise<GiveBack> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(reasonOf(signal));
      const { room, roomEach = room } = this.terms;
      const waiter: Waiter = {
        weight: Math.min(weight, room, roomEach),
        grant: () => {
          signal?.removeEventListener('abort', aborted);
          resolve(this.giveBackOf(name, waiter.weight));
        },
      };
      const aborted = () => {
        this.order.leave(name, waiter);
        // It may have been what held up the others.
        this.serve();
        reject(reasonOf(signal!));
      };
      if (this.waiting === 0 && this.isFree(name, waiter)) return this.give(name, waiter);
      if (this.isFull(name)) return reject(new SemaphoreQueueFull(this.waiting));
      signal?.addEventListener('abort', aborted, { once: true });
      this.order.wait(name, waiter);
      this.serve();
    });
  }

  /** Does the work while this name holds one of the capacity. @throws as `take`; what the work throws */
  async within<T>(name: string, work: () => Promise<T>): Promise<T> {
    const giveBack = await this.take(name);
    try {
      return await work();
    } finally {
      giveBack();
    }
  }

  private isFull(name: string): boolean {
    const { maxWaiting = Infinity, maxWaitingEach = maxWaiting } = this.terms;
    return this.waiting >= maxWaiting || this.order.waitingOf(name) >= maxWaitingEach;
  }

  private isFree(name: string, { weight }: Waiter): boolean {
    return this.taken + weight <= this.terms.room && this.order.mayHold(name, weight);
  }

  private serve(): void {
    for (let next = this.order.next(); next !== null; next = this.order.next()) {
      const [name, waiter] = next;
      if (this.taken + waiter.weight > this.terms.room) return;
      this.order.leave(name, waiter);
      this.give(name, waiter);
    }
  }

  private give(name: string, { weight, grant }: Waiter): void {
    this.taken += weight;
    this.order.took(name, weight);
    grant();
  }

  private giveBackOf(name: string, weight: number): GiveBack {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.taken -= weight;
      this.order.gaveBack(name, weight);
      this.serve();
    };
  }
}

const reasonOf = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new Error(String(reason));
