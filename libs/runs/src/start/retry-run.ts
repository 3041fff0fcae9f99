import type { McpServerConfig } from '#agent';
import {
  type ApprovalPolicy,
  type Mode,
  type ProjectId,
  type Revision,
  type RunId,
  sessionOfRun,
  sessionStream,
  notFound,
} from '#domain';
import type { EventLog } from '#event-log';
import type { ContentStore } from '#vault';
import { loadRequest } from '../load-session.js';
import { requireServers } from '../require-servers.js';
import type { Sessions } from '../sessions.js';
import type { StartRun } from './start-run-request.js';

/** A run is to be gone on with where it ended: in its configuration, but for what stands here. */
export interface RetryRun {
  readonly run: RunId;
  /** Revision of its `run_requested`. */
  readonly requested: Revision;
  readonly mode?: Mode;
  readonly approvals?: ApprovalPolicy;
  readonly budget?: string;
  /** Those of the run, under the same names. */
  readonly mcpServers: readonly McpServerConfig[];
}

/** Makes the command that starts a retry. */
export class RetryPlanner {
  constructor(
    private readonly ports: {
      readonly log: EventLog;
      readonly sessions: Sessions;
      readonly contents: ContentStore;
    },
  ) {}

  /**
   * Whether the run is one that can be retried is decided when the command is carried out: a repeat has its answer all the
   * same. @throws Problem not_found; unprocessable where the servers are not the run's
   */
  async commandOf(
    { run, requested, mode, approvals, budget, mcpServers }: RetryRun,
    project: ProjectId,
    terms: Pick<StartRun, 'actor' | 'correlationId' | 'traceparent' | 'idempotency'>,
  ): Promise<StartRun> {
    const { log, sessions, contents } = this.ports;
    const session = sessionOfRun(run);
    if (session === null) throw notFound('the run');
    await sessions.require(project, session);
    const { data } = await loadRequest(log, sessionStream(session), requested);
    const config = await contents.object(session, data.config);
    requireServers(config.mcp_servers ?? [], mcpServers);
    return {
      ...terms,
      session,
      project,
      // The run that it goes on with has one.
      message: '',
      mode: mode ?? data.mode,
      config: {
        ...config,
        ...(approvals === undefined ? {} : { approvals }),
        ...(budget === undefined ? {} : { budget }),
      },
      onBusy: 'reject',
      trigger: data.trigger,
      mcpServers,
      retryOf: { run, requested },
      ...(data.replay_of === undefined ? {} : { replayOf: data.replay_of }),
      // A replay may have a model of its own; another mode brings its own.
      ...(data.replay_of === undefined || (mode ?? data.mode) !== data.mode ? {} : { model: data.model }),
      ...(data.callback === undefined ? {} : { callback: data.callback }),
    };
  }
}
