import { Problem } from '#domain';
import { LogUnavailable } from '#event-log';
import { Backoff, type Background, type Clock, type Logger } from '#platform';
import type { IsLeft } from './session-ports.js';
import type { Sessions } from './sessions.js';

/** Where unfinished runs are looked up. It may name too many; the log decides. */
export interface UnfinishedRuns {
  /** Sessions with a run that is queued or running, or only those in which one waits. */
  sessions(isWaitingOnly?: boolean): Promise<readonly string[]>;
}

const RETRY_MS = 1000;
const LOOK_PAUSES = { firstMs: 100, longestMs: 5_000 };

/** Goes on with the runs that an earlier process left, each from where the log says that it was. */
export class Recovery {
  constructor(
    private readonly sessions: Sessions,
    private readonly ports: {
      readonly clock: Clock;
      readonly background: Background;
      readonly logger: Logger;
    },
  ) {}

  /**
   * For a process that is alone on its log: every unfinished run was left by a predecessor.
   * @param signal ends it: what is not gone on with then is left to the next process
   */
  start(unfinished: UnfinishedRuns, signal: AbortSignal): void {
    this.ports.background.start('recovery', async () => {
      const found = await this.lookUp(unfinished, signal);
      if (found.length > 0)
        this.ports.logger.info({ sessions: found.length }, 'going on with unfinished runs');
      for (const id of found) {
        if (signal.aborted) return;
        await this.resume(id);
      }
    });
  }

  /** Asks again as long as there is no answer: nobody else would go on with them. */
  private async lookUp(unfinished: UnfinishedRuns, signal: AbortSignal): Promise<readonly string[]> {
    const backoff = new Backoff(this.ports.clock, LOOK_PAUSES);
    while (!signal.aborted) {
      try {
        return await unfinished.sessions();
      } catch (error) {
        if (signal.aborted) break;
        this.ports.logger.warn({ err: error }, 'unfinished runs could not be looked up yet');
        await backoff.wait(signal);
      }
    }
    return [];
  }

  /**
   * Claims the session's run if another process's claim is the last, and those that wait when their turn comes. A log
   * that cannot be read is waited for; a session that is not there, or that cannot be made out, is left as it is.
   * @param isLeft which of its runs were left, and by whom, who is gone; absent: all that are not this process's own
   */
  async resume(id: string, isLeft?: IsLeft): Promise<void> {
    for (;;) {
      try {
        return await this.sessions.use(id, (session) => session.adopt(isLeft));
      } catch (error) {
        // Erased, and the tables do not know it yet.
        if (error instanceof Problem && error.code === 'not_found') return;
        if (!(error instanceof LogUnavailable)) {
          this.ports.logger.error({ err: error, session: id }, 'a session cannot be gone on with');
          return;
        }
        this.ports.logger.warn({ err: error, session: id }, 'a session could not be read yet');
        await this.ports.clock.sleep(RETRY_MS);
      }
    }
  }
}
