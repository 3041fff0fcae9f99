/** A signal that is aborted with another one, or when nothing was heard for too long. Owns the timer. */
export class Deadline {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly leave = (): void => this.controller.abort(this.outer?.reason);

  constructor(
    private readonly quietMs: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    outer?.throwIfAborted();
    outer?.addEventListener('abort', this.leave, { once: true });
    this.heard();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  heard(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.controller.abort(), this.quietMs);
  }

  /** Nothing has to be heard until `heard` is called again. */
  rest(): void {
    clearTimeout(this.timer);
  }

  /** Ends what still goes on under this signal, too. */
  close(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener('abort', this.leave);
    this.controller.abort();
  }
}
