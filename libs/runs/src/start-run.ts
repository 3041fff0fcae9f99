import type { ContentStore } from '#event-log';
import {
  type Mode,
  type OnBusy,
  type RunConfig,
  type Trigger,
  decideOpen,
  decideStart,
  requireSession,
  runId,
  sessionId,
} from '#domain';
import type { EventMeta } from '#event-log';
import type { Random } from '#platform';
import type { Admission } from './admission.js';
import type { Session } from './session.js';
import type { Sessions } from './sessions.js';

export interface StartRun {
  /** Continue this session; absent: a new one. */
  readonly session?: string;
  readonly project: string;
  readonly actor: string;
  readonly correlationId?: string;
  readonly message: string;
  readonly mode: Mode;
  readonly config: RunConfig;
  readonly onBusy: OnBusy;
  readonly trigger: Trigger;
}

export interface StartedRun {
  readonly session: string;
  readonly run: string;
  /** Revision of its `run_requested`: its public events come after. */
  readonly requested: number;
}

/** Accepts a run: when this resolves it is on the log, and it is driven or waits its turn. */
export class StartRunHandler {
  constructor(
    private readonly sessions: Sessions,
    private readonly contents: ContentStore,
    private readonly admission: Admission,
    private readonly random: Random,
    private readonly options: {
      readonly models: Readonly<Record<Mode, string>>;
      readonly replica: string;
      readonly worker: string;
    },
  ) {}

  /** @throws Problem not_found, session_busy; LogUnavailable (nothing was started) */
  async start(command: StartRun): Promise<StartedRun> {
    const id = command.session ?? sessionId(this.random.hex(12));
    const run = runId(id, this.random.hex(8));
    const session = command.session === undefined ? this.sessions.create(id) : await this.sessions.get(id);
    if (command.session !== undefined) requireSession(session.journal.state, command.project);
    const hasRoom = this.admission.tryTake(run);
    let isStarted = false;
    try {
      const started = await this.append(session, run, command, hasRoom);
      isStarted = started.isStarted;
      return { session: id, run, requested: started.requested };
    } finally {
      if (!isStarted) this.admission.release(run);
    }
  }

  private async append(session: Session, run: string, command: StartRun, hasRoom: boolean) {
    const { models, replica, worker } = this.options;
    const { project, actor, correlationId, mode, config, trigger, onBusy } = command;
    const message = await this.contents.store(session.id, command.message);
    const request = { run, message, mode, model: models[mode], config, trigger, replica, onBusy };
    const meta: EventMeta = {
      schemaVersion: 1,
      project,
      run,
      actor,
      ...(correlationId ? { correlationId } : {}),
    };
    return session.journal.command(meta, (state, next) => {
      const opening = command.session === undefined ? decideOpen(state, request, { worker, hasRoom }) : null;
      if (opening) return { events: opening, value: { requested: next + 1, isStarted: hasRoom } };
      const decision = decideStart(state, request, { project, worker, next, hasRoom });
      if (decision.kind === 'known') throw new Error(`the random id ${run} is taken`);
      return { events: decision.events, value: { requested: next, isStarted: decision.kind === 'start' } };
    });
  }
}
