import { Problem, type ProjectId } from '#domain';
import {
  type Clock,
  DeadlinePassed,
  FairSemaphore,
  type GiveBack,
  SemaphoreQueueFull,
  type Weigh,
} from '#platform';

/** For each byte that is brought into memory: sealed as it was stored, as text, as JSON, and on its way out. */
const COST = 4;
/** What an answer of many small parts holds at least. */
const LEAST_BYTES = 1024 * 1024;
/** Of an answer that is sent as it is made. */
const SMALL_BYTES = 64 * 1024;
/** Who waits holds the beginning of an answer. */
const MAX_WAITING = 128;
const MAX_WAITING_EACH = 64;
const WAIT_MS = 30_000;

const OVERLOADED = new Problem('overloaded', 'too many large answers are being written; try again later', {
  retryAfterS: 5,
});

/**
 * The memory that large answers may take, all together and those of one project, given in turns by project (FairSemaphore).
 * Owns what is taken of it.
 */
export class AnswerRoom {
  private readonly turns: FairSemaphore;
  private readonly maxBytesEach: number;

  /** @param maxBytes of all; one project may have half of it */
  constructor(
    maxBytes: number,
    private readonly clock: Clock,
  ) {
    this.maxBytesEach = Math.ceil(maxBytes / 2);
    const each = { roomEach: this.maxBytesEach, maxWaitingEach: MAX_WAITING_EACH };
    this.turns = new FairSemaphore({ room: maxBytes, maxWaiting: MAX_WAITING, ...each });
  }

  /** In bytes. */
  get inUse(): number {
    return this.turns.inUse;
  }

  /** Whether somebody waits for a part of it. */
  get isWanted(): boolean {
    return this.turns.waiting > 0;
  }

  /** Of an answer that is no more when `gone` is aborted. It holds nothing yet. */
  share(project: ProjectId, gone: AbortSignal): AnswerShare {
    return new AnswerShare(this.turns, this.maxBytesEach, this.clock, project, gone);
  }
}

/** What one answer holds. */
export class AnswerShare {
  private weight = 0;
  private giveBack: GiveBack = () => undefined;

  constructor(
    private readonly turns: FairSemaphore,
    private readonly maxBytes: number,
    private readonly clock: Clock,
    private readonly project: ProjectId,
    private readonly gone: AbortSignal,
  ) {}

  /**
   * Makes it enough for so many bytes at a time. What it held is given back first, so that no two that have a part wait for
   * each other: as little as possible of what came before may be in memory any more. Who has all that a project may have has
   * no more to wait for, and goes on to its end.
   * @throws Problem overloaded; the reason of `gone`
   */
  async hold(bytes: number): Promise<void> {
    const weight = Math.min(this.maxBytes, Math.max(LEAST_BYTES, bytes * COST));
    if (weight <= this.weight) return;
    this.release();
    const deadline = this.clock.deadline(WAIT_MS, this.gone);
    try {
      this.giveBack = await this.turns.take(this.project, deadline.signal, weight);
      this.weight = weight;
    } catch (error) {
      if (error instanceof SemaphoreQueueFull || error instanceof DeadlinePassed) throw OVERLOADED;
      throw error;
    } finally {
      deadline[Symbol.dispose]();
    }
  }

  /** The same, but of what most answers are: so little is not asked for. */
  readonly weigh: Weigh = async (bytes) => (bytes <= SMALL_BYTES ? undefined : this.hold(bytes));

  release(): void {
    this.weight = 0;
    this.giveBack();
  }
}
