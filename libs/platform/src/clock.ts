/** Time as a port: production has SystemClock, the simulation a virtual one. */
export abstract class Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  abstract now(): number;

  /** Calls `fire` once, after `ms` milliseconds. Returns a function that cancels it. */
  abstract timer(ms: number, fire: () => void): () => void;

  /**
   * Calls `fire` once the current turn of the event loop has done its work, e.g. to flush a batch gathered in
   * it.
   */
  abstract soon(fire: () => void): void;

  /** Lets others have their turn: resolves when this one of the event loop has done its work. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.soon(resolve));
  }

  /** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(asError(signal.reason));
      const aborted = () => {
        cancel();
        reject(asError(signal?.reason));
      };
      const cancel = this.timer(ms, () => {
        signal?.removeEventListener('abort', aborted);
        resolve();
      });
      signal?.addEventListener('abort', aborted, { once: true });
    });
  }

  /** A signal that is aborted by `parent`, or after `ms` with a DeadlinePassed. Dispose it when the work is done. */
  deadline(ms: number, parent?: AbortSignal): Deadline {
    const controller = new AbortController();
    const follow = () => controller.abort(parent?.reason);
    if (parent?.aborted) follow();
    else parent?.addEventListener('abort', follow, { once: true });
    const cancel = this.timer(ms, () => controller.abort(new DeadlinePassed(ms)));
    return {
      signal: controller.signal,
      [Symbol.dispose]: () => {
        cancel();
        parent?.removeEventListener('abort', follow);
      },
    };
  }
}

export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
  constructor(readonly ms: number) {
    super(`no answer within ${ms} ms`);
  }
}

/** Node fires a longer one at once (a signed 32-bit number of milliseconds: about 24.8 days). */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export class SystemClock extends Clock {
  private due: (() => void)[] = [];

  override now(): number {
    return Date.now();
  }

  override timer(ms: number, fire: () => void): () => void {
    let handle: NodeJS.Timeout;
    const arm = (left: number): void => {
      handle =
        left > LONGEST_TIMEOUT_MS
          ? setTimeout(() => arm(left - LONGEST_TIMEOUT_MS), LONGEST_TIMEOUT_MS)
          : setTimeout(fire, Math.max(0, left));
    };
    arm(ms);
    return () => clearTimeout(handle);
  }

  /**
   * Runs all callbacks one after the other, before the promises that they resolve continue, so that what
   * those add is batched, too.
   */
  override soon(fire: () => void): void {
    if (this.due.push(fire) === 1) setImmediate(this.fireDue);
  }

  private readonly fireDue = (): void => {
    const { due } = this;
    this.due = [];
    for (const fire of due) fire();
  };
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
