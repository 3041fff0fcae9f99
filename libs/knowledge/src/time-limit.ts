import type { Clock, Deadline } from '#platform';

/** How long a work may take, from when its turn has come: waiting does not count. Owns the deadline. */
export class TimeLimit {
  private deadline: Deadline | null = null;

  /** @param stopped ends it, whenever it is */
  constructor(
    private readonly clock: Clock,
    private readonly ms: number,
    private readonly stopped: AbortSignal,
  ) {}

  /** Once; a work that begins anew gets no more time. */
  begin(): void {
    this.deadline ??= this.clock.deadline(this.ms, this.stopped);
  }

  /** Is aborted with a DeadlinePassed, or the reason why it was stopped. */
  get signal(): AbortSignal {
    return this.deadline?.signal ?? this.stopped;
  }

  end(): void {
    this.deadline?.[Symbol.dispose]();
  }
}
