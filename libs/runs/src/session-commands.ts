import {
  type Draft,
  type SessionState,
  decideCancel,
  decideClear,
  knowsRun,
  notFound,
  requireSession,
  sessionOfRun,
  type ProjectId,
  type RunId,
} from '#domain';
import type { EventLog } from '#event-log';
import type { Sessions } from './sessions.js';

export interface Caller {
  readonly project: ProjectId;
  readonly actor: string;
}

/** The commands to a session besides starting a run. */
export class SessionCommands {
  constructor(
    private readonly sessions: Sessions,
    private readonly log: Pick<EventLog, 'exclusive'>,
  ) {}

  /** Empties history and context from the next run on. @throws Problem not_found; LogUnavailable */
  async clear(id: string, caller: Caller): Promise<void> {
    await this.sessions.use(id, ({ journal }) =>
      journal.command(metaOf(caller), (state) => ({
        events: decideClear(state, caller.project),
        value: undefined,
      })),
    );
  }

  /** Asks for the end of a run; nothing happens where it has ended. @throws Problem not_found; LogUnavailable */
  async cancel(run: RunId, caller: Caller): Promise<void> {
    const id = sessionOfRun(run);
    if (id === null) throw notFound('the run');
    const decide = (state: SessionState) => {
      requireSession(state, caller.project);
      const decided = decideCancel(state, run);
      // Where others write, a run that is not known here may be under way all the same: only an append finds out.
      const isCertain = this.log.exclusive || decided.length > 0 || knowsRun(state, run);
      return { events: isCertain ? decided : [cancelOf(run)], value: undefined };
    };
    await this.sessions.use(id, ({ journal }) => journal.command({ ...metaOf(caller), run }, decide));
  }
}

const cancelOf = (run: RunId): Draft => ({ type: 'run_cancel_requested', data: {}, run });

const metaOf = ({ project, actor }: Caller) => ({ schemaVersion: 1, project, actor });
