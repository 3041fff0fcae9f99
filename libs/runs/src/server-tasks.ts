import { type Journal, type OpenToolbox, RunCancelled, RunStopped, type Toolbox, calledServer } from '#agent';
import {
  type CurrentRun,
  type RunId,
  type StartedTask,
  StartedTasksFold,
  decideWake,
  isLeftToServer,
  knownSessionEvent,
  tasksThatGoOn,
} from '#domain';
import { lateSignal } from '#platform';
import type { KnownRequests } from './known-requests.js';
import type { RequestEvent } from './load-session.js';
import { pauseForLog } from './run-claims.js';
import type { SessionPorts } from './session-ports.js';

/** How long servers are connected to of a run that was cancelled meanwhile, to be told so. */
const LAST_WORD_MS = 10_000;

interface WaitingSession {
  readonly id: string;
  readonly journal: Journal;
  readonly isStopped: boolean;
  inUse<T>(work: () => Promise<T>): Promise<T>;
}

/** A run whose tasks are asked for, as it was when that began: it may be over before its servers are reached. */
interface Asking {
  readonly current: CurrentRun;
  readonly open: OpenToolbox;
  readonly stop: AbortController;
}

/**
 * Asks tool servers about the tasks of a run that waits for nothing else, and wakes the run when there is news. Owns the
 * connections for that; nobody drives the run meanwhile.
 */
export class ServerTasks {
  private asking: Asking | null = null;

  constructor(
    private readonly session: WaitingSession,
    private readonly requests: KnownRequests,
    private readonly ports: SessionPorts,
  ) {}

  get areAsked(): boolean {
    return this.asking !== null;
  }

  /** Sees to what is current: a process without the credentials of the run's servers leaves it to another. */
  supervise(current: CurrentRun | null): void {
    const isOurs = current !== null && isLeftToServer(current) && this.ports.toolboxes.knows(current.run);
    if (isOurs && this.asking?.current.run === current.run) return;
    if (this.asking !== null) this.stop(current === null ? new RunCancelled() : new RunStopped());
    if (isOurs) this.start(current);
  }

  /** @param reason where the run is over its servers are told so */
  stop(reason: Error = new RunStopped()): void {
    this.asking?.stop.abort(reason);
    this.asking = null;
  }

  /** The run is cancelled whose servers whoever drives it has not reached: they are told in the background. */
  tellCancelled(current: CurrentRun): void {
    if (tasksThatGoOn(current).length === 0 || !this.ports.toolboxes.knows(current.run)) return;
    this.start(current);
    this.stop(new RunCancelled());
  }

  /** Nobody asks any more: whoever drives the run says what is to be done. Never rejects. */
  wake(run: RunId): void {
    const { session, ports } = this;
    const { journal } = session;
    const isLeft = ({ current } = journal.state): boolean =>
      !session.isStopped && current?.run === run && isLeftToServer(current);
    ports.background.start('wake a run', () =>
      session.inUse(async () => {
        while (isLeft()) {
          try {
            return await this.woken(run, await this.requests.of(run, journal.state));
          } catch (error) {
            await pauseForLog(ports, session.id, run, error);
          }
        }
      }),
    );
  }

  private start(current: CurrentRun): void {
    const { run } = current;
    const asking = { current, open: this.ports.toolboxes.later(run), stop: new AbortController() };
    this.asking = asking;
    const { signal } = asking.stop;
    this.ports.background.start('server tasks', async () => {
      do {
        try {
          const request = await this.requests.readable(run, { current, waiting: [] });
          await this.untilNews(request, asking);
          await this.woken(run, request);
          return;
        } catch (error) {
          if (!signal.aborted) await pauseForLog(this.ports, this.session.id, run, error);
        }
      } while (!signal.aborted);
    });
  }

  private async woken(run: RunId, { meta }: RequestEvent): Promise<void> {
    await this.session.journal.command(meta, (state) => ({
      events: decideWake(state, run),
      value: undefined,
    }));
  }

  /** Resolves when one of the tasks has come to something. Servers of a run that is cancelled before are told so. */
  private async untilNews(request: RequestEvent, { current, open, stop: { signal } }: Asking): Promise<void> {
    const tasks = await this.tasksThatGoOn(request, current);
    if (tasks.length === 0) return;
    const toolbox = await this.open(request, open, signal);
    const others = new AbortController();
    const both = AbortSignal.any([signal, others.signal]);
    const asked = tasks.map(async ({ task, ...of }) => {
      const server = calledServer(of, toolbox.servers ?? []);
      // Whoever drives the run tells what that means.
      await server?.untilNews(task, both);
    });
    try {
      await Promise.race(asked);
    } finally {
      // Those that are cancelled tell their servers so, over connections that are still open.
      others.abort(new RunStopped());
      await Promise.allSettled(asked);
      await toolbox.close();
    }
  }

  private async tasksThatGoOn(
    { revision, meta }: RequestEvent,
    current: CurrentRun,
  ): Promise<readonly StartedTask[]> {
    const fold = new StartedTasksFold();
    for await (const page of this.ports.log.readStream(this.session.journal.stream, { after: revision }))
      for (const recorded of page) {
        const event = recorded.meta.run === meta.run ? knownSessionEvent(recorded) : null;
        if (event !== null) fold.push(event);
      }
    return tasksThatGoOn(current)
      .map((place) => fold.of(place))
      .filter((task) => task !== undefined);
  }

  private async open({ data, meta }: RequestEvent, open: OpenToolbox, signal: AbortSignal): Promise<Toolbox> {
    const { contents, clock } = this.ports;
    const { id: session } = this.session;
    const config = await contents.object(session, data.config);
    const asked = { session, run: meta.run ?? '', project: meta.project, config };
    const late = lateSignal(signal, (reason) => (reason instanceof RunCancelled ? LAST_WORD_MS : 0), clock);
    try {
      return await open(asked, late.signal);
    } finally {
      late[Symbol.dispose]();
    }
  }
}
