import type { SessionState, RunId } from '#domain';
import type { EventMeta } from '#event-log';

/** The claim under which a worker drives a run. */
export interface Claim {
  readonly run: RunId;
  readonly worker: string;
  readonly epoch: number;
}

/** Whoever drives a run writes under the claim that it holds. */
export class RunWriter {
  private failure: Error | null = null;

  constructor(
    readonly claim: Claim,
    readonly meta: EventMeta,
    private readonly abort: (reason: Error) => void,
  ) {}

  /** Why nothing of this writer goes to the log any more, or null. */
  get lost(): Error | null {
    return this.failure;
  }

  holdsClaim({ current }: SessionState): boolean {
    const { run, worker, epoch } = this.claim;
    const isOurs = current?.run === run && current.worker === worker && current.epoch === epoch;
    return isOurs && current.park === undefined;
  }

  /** A writer under the same claim, of which nothing was refused yet. */
  again(): RunWriter {
    return new RunWriter(this.claim, this.meta, this.abort);
  }

  fail(reason: Error): void {
    if (this.failure !== null) return;
    this.failure = reason;
    this.abort(reason);
  }
}

/** Another worker has claimed the run: stop, silently. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
  constructor(run: RunId) {
    super(`another worker drives ${run}`);
  }
}
