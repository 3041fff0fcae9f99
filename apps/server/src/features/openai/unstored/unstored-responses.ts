import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Problem, type ProjectId, type SessionId } from '#domain';
import { Clock, Logger } from '#platform';
import { ReadModelsUnavailable, RunQueries } from '#read-models';
import { LogUnavailable } from '#event-log';
import { EraseSession } from '#runs';
import { OpenStreams } from '../../../edge/answers/socket-sink.js';
import { FaceEvents } from '../reading/face-events.js';
import { type FoundResponse, ResponseReading } from '../reading/response-reading.js';

/** Whoever follows a response gets it to its end, for so long after it. */
const FOLLOWED_MS = 2_000;
const LOOK_MS = 20;
const RETRY_MS = 1_000;

/** What it is done with. */
@Injectable()
export class UnstoredSurroundings {
  constructor(
    readonly clock: Clock,
    readonly logger: Logger,
    readonly open: OpenStreams,
  ) {}
}

interface Author {
  readonly project: ProjectId;
  readonly actor: string;
}

/**
 * Erases responses that are not to be stored: each has a session of its own, which goes when the response has ended, or waits.
 * What was left by a crash is made good at the next start.
 */
@Injectable()
export class UnstoredResponses implements OnApplicationBootstrap {
  constructor(
    private readonly responses: ResponseReading,
    private readonly events: FaceEvents,
    private readonly erasure: EraseSession,
    private readonly runs: RunQueries,
    private readonly around: UnstoredSurroundings,
  ) {}

  onApplicationBootstrap(): void {
    void this.again();
  }

  /** Sees to it that the response is erased. */
  watch(found: Omit<FoundResponse, 'id'>, author: Author): void {
    const { logger } = this.around;
    this.eraseAtEnd(found, author).catch((err: unknown) => {
      logger.warn({ err, run: found.place.run }, 'a response that is not stored is erased later');
    });
  }

  private async eraseAtEnd(found: Omit<FoundResponse, 'id'>, author: Author): Promise<void> {
    const { open } = this.around;
    const { session } = found.place;
    try {
      if ((await this.responses.ended(found, open.ending)) === null) return;
      await this.unfollowed(session);
      await this.erasure.erase(session, author);
    } catch (error) {
      // Erased by somebody else.
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    }
  }

  private async unfollowed(session: SessionId): Promise<void> {
    const { clock } = this.around;
    const until = clock.now() + FOLLOWED_MS;
    while (this.responses.isFollowed(session) && clock.now() < until) await clock.sleep(LOOK_MS);
  }

  /** Those of the time before this start. */
  private async again(): Promise<void> {
    const { clock, logger, open } = this.around;
    while (!open.ending.aborted) {
      try {
        for (const { run, project, actor } of await this.runs.unstored()) {
          const place = await this.events.place(project, run);
          this.watch({ place, passage: 1 }, { project, actor });
        }
        return;
      } catch (err) {
        const isEarly = err instanceof ReadModelsUnavailable || err instanceof LogUnavailable;
        if (!isEarly) return logger.warn({ err }, 'responses that are not stored could not be looked for');
        await clock.sleep(RETRY_MS, open.ending).catch(() => undefined);
      }
    }
  }
}
