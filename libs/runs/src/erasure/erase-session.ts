import {
  Problem,
  type RecordedSessionEvent,
  decideErase,
  isIdle,
  sessionStream,
  taskId,
  type SessionId,
} from '#domain';
import { type EventLog } from '#event-log';
import { type StreamKeys } from '#vault';
import type { Clock } from '#platform';
import type { Caller, SessionCommands } from '../session-commands.js';
import type { Session } from '../session.js';
import type { Sessions } from '../sessions.js';
import type { TaskCommands } from '../tasks/task-commands.js';
import type { Erasures } from './erasures.js';

/** Runs that do not end in this time are ended by the erasure itself. */
const PATIENCE_MS = 2_000;
const LOOK_MS = 20;

export interface EraseSessionPorts {
  readonly log: EventLog;
  readonly sessions: Sessions;
  readonly commands: SessionCommands;
  readonly tasks: TaskCommands;
  readonly streams: Pick<StreamKeys, 'of'>;
  readonly erasures: Erasures;
  readonly clock: Clock;
}

export interface ErasedSession {
  readonly session: SessionId;
  /** ms since 1970 */
  readonly erasedAt: number;
  /** How many events can be read no more. */
  readonly events: number;
}

/** Erases a session: its runs and tasks end, and what was said in it is gone for good. */
export class EraseSession {
  constructor(private readonly ports: EraseSessionPorts) {}

  /** @throws Problem not_found; LogUnavailable: once `session_erased` is on the log, who follows it does the rest */
  async erase(id: string, caller: Caller): Promise<ErasedSession> {
    const { sessions, streams, erasures, clock } = this.ports;
    return sessions.use(id, async (session) => {
      // Refuses the sessions of others before anything is done.
      decideErase(session.journal.state, caller.project, 0);
      await this.cancelAll(session, caller);
      await this.ended(session);
      const key = (await streams.of(sessionStream(id))) ?? undefined;
      const meta = { schemaVersion: 1, project: caller.project, actor: caller.actor };
      const events = await session.journal.command(meta, (state, next) => ({
        events: decideErase(state, caller.project, next, key),
        value: next,
      }));
      await erasures.carryOut(id, key ?? null);
      return { session: id, erasedAt: clock.now(), events };
    });
  }

  private async cancelAll(session: Session, caller: Caller): Promise<void> {
    const { current, waiting } = session.journal.state;
    const runs = [...(current === null ? [] : [current.run]), ...waiting.map(({ run }) => run)];
    for (const run of runs) await this.ports.commands.cancel(run, caller);
    for (const task of await this.tasksOf(session.id)) {
      try {
        await this.ports.tasks.command(task, 'cancel', caller);
      } catch (error) {
        // One that was not made before a crash will never be.
        if (!(error instanceof Problem && error.code === 'not_found')) throw error;
      }
    }
  }

  /** The tasks that the session's runs brought: their ids follow from the requests. */
  private async tasksOf(session: SessionId): Promise<readonly string[]> {
    const tasks: string[] = [];
    for await (const page of this.ports.log.readStream(sessionStream(session)))
      for (const { type, meta, data } of page) {
        if (type !== 'run_requested') continue;
        const { schedules = [] } = data as Requested['data'];
        for (const index of schedules.keys()) tasks.push(taskId(meta.run ?? '', index));
      }
    return tasks;
  }

  private async ended(session: Session): Promise<void> {
    const { clock } = this.ports;
    const until = clock.now() + PATIENCE_MS;
    while (!isIdle(session.journal.state) && clock.now() < until) {
      await clock.sleep(LOOK_MS);
      await session.refresh();
    }
  }
}

type Requested = Extract<RecordedSessionEvent, { type: 'run_requested' }>;
