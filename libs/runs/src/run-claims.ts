import type { Journal } from '#agent';
import type { CurrentRun, Draft, RunId, SessionId, SessionState } from '#domain';
import type { KnownRequests } from './known-requests.js';
import type { RequestEvent } from './load-session.js';
import type { SessionPorts } from './session-ports.js';
import { replicaOf } from './worker-name.js';

interface ClaimingSession {
  readonly id: SessionId;
  readonly journal: Journal;
  readonly isStopped: boolean;
  /** Whether the run is claimed by this process, as far as is known, and to be driven by it. */
  holds(run: RunId): boolean;
  isDriving(run: RunId): boolean;
  react(): void;
}

/** Writes the claims of one session's runs, each when this process has room for it. Owns which one is being written. */
export class RunClaims {
  private claiming: RunId | null = null;

  constructor(
    private readonly session: ClaimingSession,
    private readonly requests: KnownRequests,
    private readonly ports: SessionPorts,
  ) {}

  isClaiming(run: RunId): boolean {
    return this.claiming === run;
  }

  /**
   * A claim waits for room in this process; it is decided on what the session is when it is written.
   * @param again called when there is room, or when the log could not be asked
   * @param mayClaim asked before anything is written
   */
  claim(
    run: RunId,
    again: () => void,
    decide: (state: SessionState, request: RequestEvent) => readonly Draft[] | null,
    mayClaim: (request: RequestEvent) => Promise<boolean> = () => Promise.resolve(true),
  ): void {
    const { session, ports } = this;
    const { journal } = session;
    const project = journal.state.project ?? '';
    if (this.claiming !== null || !ports.admission.takeOrWait(run, again, project)) return;
    this.claiming = run;
    ports.background.start('claim', async () => {
      let isTried = false;
      let isLeft = false;
      try {
        const request = await this.requests.of(run, journal.state);
        isLeft = !(await mayClaim(request));
        if (!isLeft)
          await journal.command(request.meta, (state) => ({
            events: decide(state, request) ?? [],
            value: undefined,
          }));
        isTried = true;
      } catch (error) {
        if (!session.isStopped) await pauseForLog(ports, session.id, run, error);
      } finally {
        this.claiming = null;
        if (!session.holds(run) && !session.isDriving(run)) ports.admission.release(run);
        if (!isLeft) session.react();
        // The log could not be asked: the run is still there to be claimed.
        if (!isTried) again();
      }
    });
  }

  /**
   * Whether this process is to go on with a run on which somebody has decided: not where another one, which lives, may hold
   * the credentials of its tool servers, and this one does not.
   */
  async mayWake({ run, worker }: CurrentRun, { data }: RequestEvent): Promise<boolean> {
    const { log, toolboxes, contents, replica, isAlive } = this.ports;
    const last = replicaOf(worker);
    if (log.exclusive || last === replica || toolboxes.knows(run) || !isAlive(last)) return true;
    const { mcp_servers: servers = [] } = await contents.object(this.session.id, data.config);
    return servers.length === 0;
  }
}

/** Before what did not come to anything is tried again. */
export const RETRY_MS = 500;

/** What could not be done because of the log is tried again, not at once. */
export async function pauseForLog(
  { logger, clock }: Pick<SessionPorts, 'logger' | 'clock'>,
  session: SessionId,
  run: RunId,
  err: unknown,
): Promise<void> {
  logger.warn({ err, run, session }, 'a run has to wait for the log');
  await clock.sleep(RETRY_MS);
}
