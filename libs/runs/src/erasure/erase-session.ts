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
import { ForksOf } from './forks-of.js';
import { usageKept } from './kept-calls.js';

/** Runs that do not end in this time are ended by the erasure itself. */
const PATIENCE_MS = 2_000;
const LOOK_MS = 20;
/** Of an erasure, before which a fork is made each time. */
const MAX_TRIES = 20;

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
  /** Its forks, and theirs, those that were erased with it, too. */
  readonly forks: readonly SessionId[];
}

/**
 * Erases a session: its runs and tasks end, and what was said in it is gone for good, in its forks, too: what they share with
 * it is written nowhere else.
 */
export class EraseSession {
  constructor(private readonly ports: EraseSessionPorts) {}

  /**
   * @param withForks erases all of its forks, too, and before it: `erase` again goes on where it was cut off
   * @throws Problem not_found; LogUnavailable: once `session_erased` is on the log, who follows it does the rest
   */
  async erase(id: string, caller: Caller, withForks = false): Promise<ErasedSession> {
    const { sessions, streams, erasures, clock } = this.ports;
    return sessions.use(id, async (session) => {
      // Refuses the sessions of others before anything is done.
      decideErase(session.journal.state, caller.project, 0);
      await this.cancelAll(session, caller);
      await this.ended(session);
      const key = (await streams.of(sessionStream(id))) ?? undefined;
      const meta = { schemaVersion: 1, project: caller.project, actor: caller.actor };
      const forks = new ForksOf(this.ports.log, id);
      const gone: SessionId[] = [];
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const { state, revision } = session.journal;
        await forks.look(revision);
        if (withForks) gone.push(...(await this.eraseAll(await forks.direct(), caller)));
        const kept = await usageKept(this.ports.log, id);
        const left = withForks ? [] : await forks.direct();
        const events = await session.journal.command(meta, (now, next) => {
          const decided = decideErase(now, caller.project, next, { key, kept, forks: left });
          const value = next + kept.length;
          // A fork came meanwhile: it has to be looked at, too.
          return now.forks === state.forks ? { events: decided, value } : { events: [], value: null };
        });
        if (events === null) continue;
        // One that had been named is opened, perhaps, only now.
        if (withForks) gone.push(...(await this.eraseAll(await forks.direct(), caller)));
        const named = withForks ? gone : await forks.all();
        await erasures.carryOut(id, key ?? null);
        return { session: id, erasedAt: clock.now(), events, forks: named };
      }
      throw new Problem('conflict', 'the session is forked again and again');
    });
  }

  /** Returns them, and theirs. */
  private async eraseAll(forks: readonly SessionId[], caller: Caller): Promise<readonly SessionId[]> {
    const erased: SessionId[] = [];
    for (const fork of forks) {
      try {
        erased.push(fork, ...(await this.erase(fork, caller, true)).forks);
      } catch (error) {
        // Somebody else was faster.
        if (!(error instanceof Problem && error.code === 'not_found')) throw error;
      }
    }
    return erased;
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
