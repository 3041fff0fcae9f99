import type { SelectQueryBuilder } from 'typeorm';
import {
  type PageRequest,
  type ProjectId,
  type Revision,
  type RunId,
  type RunMetadata,
  type RunWarning,
  type SessionId,
  type UsageView,
  creationCursors,
  formatDollars,
  isEndType,
  isPublicType,
  notFound,
  sessionStream,
  usageView,
} from '#domain';
import type { RunError, RunStatus } from '#projections';
import type { EventLog, Freshness, RecordedEvent } from '#event-log';
import { type Weigh, unweighed } from '#platform';
import type { StoredRow } from '#postgres';
import type { MetadataTokens } from '../metadata-tokens.js';
import type { ContentCodec } from '../content-codec.js';
import type { Database } from '../postgres/database.js';
import { openedRows } from '../postgres/opened-rows.js';
import { SCHEMA } from '../postgres/schema.js';
import { RUNS, type RunRow } from '../tables/runs.js';
import type { SessionOwners } from './session-owners.js';
import { timestamp, timestampOrNull } from './views.js';
import { type WeighedPage, weighedRows } from './weighed-page.js';

/** A run as `GET /runs/{run_id}` shows it. */
export interface RunView {
  readonly run_id: RunId;
  readonly session: SessionId;
  readonly status: RunStatus;
  readonly mode: string;
  readonly model: string;
  readonly trigger: string;
  /** The run that it goes on with. */
  readonly retry_of: RunId | null;
  /** The run that it gives again. */
  readonly replay_of: RunId | null;
  /** Calls of a replay that the record holds no result of; null: it is none. */
  readonly drift: number | null;
  readonly actor: string;
  readonly created_at: string;
  readonly started_at: string | null;
  /** When the first of what the model said was stored. */
  readonly first_token_at: string | null;
  readonly ended_at: string | null;
  readonly cost: string;
  readonly usage: UsageView;
  /** What its caller says of it. */
  readonly metadata: RunMetadata;
  readonly warnings: readonly RunWarning[];
  readonly error: RunError | null;
  /** Revision of its last public event, as text like the ids of the events; null: it has none yet. */
  readonly last_event_id: string | null;
}

export interface RunPlace {
  /** Revision of its `run_requested`. */
  readonly requested: Revision;
  /** Revision of the last event that a client will ever see of it; null: it has not ended. */
  readonly lastEventId: number | null;
}

export interface RunQuery extends PageRequest {
  readonly project: ProjectId;
  readonly session?: SessionId | undefined;
  readonly status?: RunStatus | undefined;
  /** ms since 1970, of `created_at`; from inclusive, to exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Pairs that it has, all of them. */
  readonly metadata?: RunMetadata | undefined;
}

/** Runs that nobody is asked about: they wait for a task at a tool server, which their process asked for. */
const WAITS_FOR_A_SERVER = `runs.status = 'waiting' AND NOT EXISTS
  (SELECT 1 FROM ${SCHEMA}.actions WHERE actions.run_id = runs.run_id AND actions.status = 'open')`;

/** Events looked at, from the end of the stream, for the last one that a client saw of a run. */
const LOOKED_BACK = 64;

const LIST = {
  table: RUNS,
  id: 'run_id',
  contents: ['error_message', 'warnings', 'metadata'],
  cursors: creationCursors('runs'),
};

export class RunQueries {
  constructor(
    readonly database: Database,
    private readonly log: EventLog,
    private readonly codec: ContentCodec,
    private readonly freshness: Freshness,
    readonly owners: SessionOwners,
    private readonly tokens: MetadataTokens,
  ) {}

  /** Where a run that is not under way stands in its session's stream. @throws as `get` */
  async place(project: ProjectId, run: RunId): Promise<RunPlace> {
    const { requested, endedAt, lastEventId } = await this.row(project, run);
    return { requested, lastEventId: endedAt === null ? null : lastEventId };
  }

  /** @throws Problem not_found; ReadModelsUnavailable */
  async get(project: string, run: string): Promise<RunView> {
    const view = viewOf(await this.row(project, run));
    if (view.status !== 'running') return view;
    const last = await this.lastEventOf(view);
    if (last === undefined) return view;
    // It has ended since its row was read, and the row knows of it by now.
    if (isEndType(last.type)) return viewOf(await this.row(project, run));
    return { ...view, last_event_id: String(last.revision) };
  }

  /** Newest first. @throws Problem invalid_request; ReadModelsUnavailable; LogUnavailable; what `weigh` throws */
  async *list(query: RunQuery, weigh: Weigh = unweighed): WeighedPage<RunView> {
    await this.freshness.caughtUp();
    const { session, status, from, to, metadata = {} } = query;
    const narrow = (select: SelectQueryBuilder<StoredRow>): void => {
      if (session !== undefined) select.andWhere('runs.session = :session', { session });
      if (status !== undefined) select.andWhere('runs.status = :status', { status });
      if (from !== undefined) select.andWhere('runs.created_at >= :from', { from });
      if (to !== undefined) select.andWhere('runs.created_at < :to', { to });
      for (const [at, [key, value]] of Object.entries(metadata).entries())
        select.andWhere(hasToken(at), { [`token${at}`]: this.tokens.of(query.project, key, value) });
    };
    const pages = weighedRows(this, LIST, query, narrow, weigh);
    for (;;) {
      const { value, done } = await pages.next();
      if (done === true) return value;
      yield (await openedRows(RUNS, value, this.codec)).map(viewOf);
    }
  }

  /**
   * Sessions with a run that somebody has to go on with, or whose end a client cannot read yet; or only those in which one
   * waits for its turn.
   * @throws ReadModelsUnavailable
   */
  async unfinishedSessions(isWaitingOnly = false): Promise<readonly string[]> {
    const open = isWaitingOnly ? ['queued'] : ['queued', 'running'];
    const found = await this.database.find(RUNS, (select) =>
      select.where(
        `runs.status IN (:...open) OR (runs.status = 'cancelled' AND runs.last_event_id IS NULL)
          OR (:isAny AND ${WAITS_FOR_A_SERVER})`,
        { open, isAny: !isWaitingOnly },
      ),
    );
    return [...new Set(found.map((row) => String(row['session'])))];
  }

  /** Runs that are to be erased, with their sessions, when they have ended or wait. @throws ReadModelsUnavailable; LogUnavailable */
  async unstored(): Promise<
    readonly { readonly run: RunId; readonly project: ProjectId; readonly actor: string }[]
  > {
    await this.freshness.caughtUp();
    const found = await this.database.find(RUNS, (select) => select.where(`runs.run_id LIKE '%\\_once%'`));
    return found.map((row) => ({
      run: String(row['run_id']),
      project: String(row['project']),
      actor: String(row['actor']),
    }));
  }

  private async row(project: string, run: string): Promise<RunRow> {
    await this.freshness.caughtUp();
    const [found] = await this.database.find(RUNS, (select) =>
      select.where('runs.run_id = :run AND runs.project = :project', { run, project }),
    );
    if (found === undefined) throw notFound('the run');
    await this.owners.require(project, String(found['session']), 'the run');
    const [row] = await openedRows(RUNS, [found], this.codec);
    return row!;
  }

  /** The row of a run that is writing lags behind by the text of its block. */
  private async lastEventOf(run: RunView): Promise<RecordedEvent | undefined> {
    const pages = this.log.readStream(sessionStream(run.session), { backwards: true, limit: LOOKED_BACK });
    for await (const page of pages) {
      const last = page.find((event) => event.meta.run === run.run_id && isPublicType(event.type));
      if (last !== undefined) return last;
    }
    return undefined;
  }
}

/** The pair that the parameter of this number stands for. */
const hasToken = (at: number): string =>
  `EXISTS (SELECT FROM ${SCHEMA}.run_metadata m WHERE m.run_id = runs.run_id AND m.token = :token${at})`;

const viewOf = (row: RunRow): RunView => ({
  run_id: row.run,
  session: row.session,
  status: row.status,
  mode: row.mode,
  model: row.model,
  trigger: row.trigger,
  retry_of: row.retryOf,
  replay_of: row.replayOf,
  drift: row.drift,
  actor: row.actor,
  created_at: timestamp(row.createdAt),
  started_at: timestampOrNull(row.startedAt),
  first_token_at: timestampOrNull(row.firstTokenAt),
  ended_at: timestampOrNull(row.endedAt),
  cost: formatDollars(row.spent.cost),
  usage: usageView(row.spent),
  metadata: row.metadata,
  warnings: row.warnings,
  error: row.error,
  last_event_id: row.lastEventId === null ? null : String(row.lastEventId),
});
