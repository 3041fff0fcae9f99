import type { Position } from '../envelope.js';

interface Waiter {
  readonly position: Position;
  resolve(): void;
  reject(error: Error): void;
}

/** Waiters for a follower to reach a position. */
export class PositionWaiters {
  private readonly waiting = new Set<Waiter>();

  /** Rejects with the signal's reason when it is aborted first. */
  wait(position: Position, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(reasonOf(signal));
      const settle = (then: () => void) => {
        this.waiting.delete(waiter);
        signal?.removeEventListener('abort', aborted);
        then();
      };
      const aborted = () => settle(() => reject(reasonOf(signal!)));
      const waiter: Waiter = {
        position,
        resolve: () => settle(resolve),
        reject: (error) => settle(() => reject(error)),
      };
      this.waiting.add(waiter);
      signal?.addEventListener('abort', aborted, { once: true });
    });
  }

  reached(position: Position): void {
    for (const waiter of this.waiting) if (waiter.position <= position) waiter.resolve();
  }

  rejectAll(error: Error): void {
    for (const waiter of this.waiting) waiter.reject(error);
  }
}

const reasonOf = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));
