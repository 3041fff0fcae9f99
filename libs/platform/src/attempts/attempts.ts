/**
 * Port: a crash counter for units of work. It persists how many processes died while a unit was in progress,
 * so that a poison item is recognised after a restart. Keys name the work and hold no content.
 */
export abstract class Attempts {
  /** How many processes have died while this work was in progress, as far as is known. */
  abstract deaths(key: string): number;
  /**
   * Resolves when the start is recorded for later processes. Never rejects: where it cannot be recorded the
   * work is done uncounted.
   */
  abstract begin(key: string): Promise<void>;
  /** The process survived the work, whatever its result, or the work is abandoned: resets the count. */
  abstract end(key: string): Promise<void>;
}

/** Counts nothing: for processes that are not restarted. */
export class NoAttempts extends Attempts {
  override deaths(): number {
    return 0;
  }
  override begin(): Promise<void> {
    return Promise.resolve();
  }
  override end(): Promise<void> {
    return Promise.resolve();
  }
}
