import {
  type Mode,
  Problem,
  type ProjectId,
  type ReplayOf,
  type RunConfig,
  notFound,
  sessionOfRun,
} from '#domain';
import type { RecordedRun } from '#projections';
import { ContentErased, type EventLog } from '#event-log';
import type { FairSemaphore } from '#platform';
import type { ContentStore } from '#vault';
import { forkAt } from '../fork/fork-session.js';
import type { Sessions } from '../sessions.js';
import type { StartRun } from '../start/start-run-request.js';
import { type LoadedRecord, loadRecordOf } from './load-record.js';
import { loadItems } from '../start/store-items.js';

/** A run that has ended is to be given again; what stands here takes the place of what it had then. */
export interface ReplayRun extends ReplayOf {
  readonly mode?: Mode;
  readonly model?: string;
  readonly system?: string;
  readonly rules?: readonly string[];
}

/** Makes the command that starts a replay: a run of a new session, which is forked before the one that it gives again. */
export class ReplayPlanner {
  constructor(
    private readonly ports: {
      readonly log: EventLog;
      readonly sessions: Sessions;
      readonly contents: ContentStore;
      /** For reading whole sessions, by project. */
      readonly turns: FairSemaphore;
    },
  ) {}

  /** @throws Problem not_found, conflict, unprocessable; LogUnavailable */
  async commandOf(
    { run, requested, tools, mode, model, ...changed }: ReplayRun,
    project: ProjectId,
    terms: Pick<StartRun, 'actor' | 'correlationId' | 'traceparent' | 'idempotency'>,
  ): Promise<StartRun> {
    const { log, sessions, contents, turns } = this.ports;
    const id = sessionOfRun(run);
    if (id === null) throw notFound('the run');
    await sessions.require(project, id);
    const { session, chain, recorded } = await turns.within(project, () => this.load({ run, requested }));
    const [first, last] = [chain[0]!, chain.at(-1)!];
    if (!recorded.hasEnded || recorded.claimed === null)
      throw new Problem('conflict', 'only a run that has ended can be replayed');
    const config = await contents.object(session, last.data.config);
    if (tools === 'recorded') requireOffered(config, recorded);
    const from = { session, at: recorded.claimed - 1 };
    const fork = await turns.within(project, () => forkAt(log, from));
    return {
      ...terms,
      project,
      message: await contents.text(session, first.data.message),
      ...(first.data.items === undefined
        ? {}
        : { items: await loadItems(contents, session, first.data.items) }),
      mode: mode ?? last.data.mode,
      ...modelOf({ model, mode }, last.data.model),
      config: { ...replayedConfig(config, tools), ...changed },
      onBusy: 'reject',
      trigger: 'request',
      replayOf: { run, requested, tools },
      fork,
    };
  }

  private async load(of: Pick<ReplayOf, 'run' | 'requested'>): Promise<LoadedRecord> {
    try {
      return await loadRecordOf(this.ports.log, of);
    } catch (error) {
      throw error instanceof ContentErased ? notFound('the run') : error;
    }
  }
}

/** The same model as then; another mode brings its own. */
function modelOf(
  asked: { readonly model: string | undefined; readonly mode: Mode | undefined },
  recorded: string,
): Pick<StartRun, 'model'> {
  if (asked.model !== undefined) return { model: asked.model };
  return asked.mode === undefined ? { model: recorded } : {};
}

/** Runs of earlier versions did not say what they were offered. @throws Problem unprocessable */
function requireOffered(config: RunConfig, { offered }: RecordedRun): void {
  const lists = [config.mcp_servers, config.datastores, config.tools];
  if (offered.length > 0 || lists.every((list = []) => list.length === 0)) return;
  throw new Problem(
    'unprocessable',
    'tools: the log does not hold what this run was offered; replay it with none',
  );
}

/** What calls nobody and asks nobody. */
function replayedConfig(config: RunConfig, tools: ReplayOf['tools']): RunConfig {
  const { system, rules, streaming_tokens, final_output, agents, workflows, compaction } = config;
  const carriedOut = tools === 'recorded' ? { agents, workflows } : {};
  const kept = Object.entries({ system, rules, streaming_tokens, final_output, compaction, ...carriedOut });
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined)) as RunConfig;
}
