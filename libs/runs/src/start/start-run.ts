import { assertNever, notFound, sessionStream, taskId, type ProjectId, type RunId } from '#domain';
import { LogUnavailable } from '#event-log';
import type { Clock, Logger } from '#platform';
import { announceFork } from '../fork/fork-session.js';
import { loadRequest } from '../load-session.js';
import type { TaskMaker } from '../tasks/task-maker.js';
import { type AcceptRunPorts, RunAcceptance, type StartRunOptions } from './accept-run.js';
import { type PlannedRun, planOnce } from './planned-run.js';
import { type RunLocation, RunLocator, type RunLocatorPorts } from './run-location.js';
import type { AcceptedRun, StartRun, StartedRun } from './start-run-request.js';

export interface StartRunPorts extends AcceptRunPorts, RunLocatorPorts {
  readonly tasks: TaskMaker;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Starts a run: when this resolves it is on the log, and it is driven or waits its turn. */
export class StartRunHandler {
  private readonly places: RunLocator;
  private readonly acceptance: RunAcceptance;

  constructor(
    private readonly ports: StartRunPorts,
    options: StartRunOptions,
  ) {
    this.places = new RunLocator(ports);
    this.acceptance = new RunAcceptance(ports, options);
  }

  /** @throws Problem not_found, session_busy, rate_limited, idempotency_mismatch; LogUnavailable (nothing was started) */
  async start(command: StartRun): Promise<AcceptedRun> {
    await this.requireLog();
    const planned = planOnce(command, this.ports.clock);
    const place = await this.places.find(planned);
    const started = await this.startAt(place, planned);
    if (started.isSteered) return { ...started, tasks: [] };
    const tasks = (command.schedules ?? []).map((_, index) => taskId(place.run, index));
    if (tasks.length > 0) await this.makeTasks(started);
    return { ...started, tasks };
  }

  /** The run that an Idempotency-Key stands for, whichever process it was used in; null: none. @throws LogUnavailable */
  async runOfKey(
    project: ProjectId,
    key: string,
    operation: NonNullable<StartRun['idempotency']>['operation'] | 'start_run' = 'start_run',
  ): Promise<RunId | null> {
    return (await this.ports.keys.runOf({ operation, project, key }))?.run ?? null;
  }

  /** A log that is in trouble takes no new runs, so that it can still take the rest of those that are under way. */
  private async requireLog(): Promise<void> {
    const { ok, detail } = await this.ports.log.health();
    if (!ok) throw new LogUnavailable(detail);
  }

  private async startAt(place: RunLocation, command: PlannedRun): Promise<StartedRun> {
    const { sessions } = this.ports;
    switch (place.by) {
      case 'new_session':
        await this.announce(place, command);
        return sessions.useNew(place.session, (session) => this.acceptance.accept(session, place, command));
      case 'session':
        return sessions.use(place.session, (session) => this.acceptance.accept(session, place, command));
      case 'key':
        // First the session, then the search: what comes after the one is seen by the other, so no run is started twice.
        return sessions.useOrCreate(place.session, async (session) => {
          if (session.journal.state.isErased) throw notFound('the session');
          const known = await this.acceptance.find(place, session.journal.revision);
          if (known !== null) return known;
          await this.announce(place, command);
          return this.acceptance.accept(session, place, command);
        });
      default:
        return assertNever(place.by);
    }
  }

  /** A session that goes on from another one is named by that first. @throws Problem not_found; LogUnavailable */
  private async announce({ session }: RunLocation, { fork, project, actor }: PlannedRun): Promise<void> {
    if (fork === undefined) return;
    const { session: parent, at } = fork.forked_from;
    await this.ports.sessions.use(parent, ({ journal }) =>
      announceFork(journal, { session, at }, { project, actor }),
    );
  }

  /** The run is on the log, so whoever asked for it is answered; what is missing here the clock makes later. */
  private async makeTasks({ session, run, requested }: StartedRun): Promise<void> {
    try {
      const request = await loadRequest(this.ports.log, sessionStream(session), requested);
      await this.ports.tasks.make(session, request);
    } catch (err) {
      this.ports.logger.warn({ err, run, session }, 'tasks of a run could not be made yet');
    }
  }
}
