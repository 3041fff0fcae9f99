/**
 * Port: which work was begun and has not ended. It outlives the process, so that the next one knows what it was doing when
 * it ended. Keys are names of pieces of work, with no content in them.
 */
export abstract class Attempts {
  /** How many processes ended while this work was under way, as far as is known. */
  abstract deaths(key: string): number;
  /** Resolves when what comes after this process will know of it. Never rejects: work that cannot be counted is done. */
  abstract begin(key: string): Promise<void>;
  /** The process has survived it, whatever came of it; or it will not be tried again. */
  abstract end(key: string): Promise<void>;
}

/** For parts whose process nobody outlives. */
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
