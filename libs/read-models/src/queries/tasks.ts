import type { SelectQueryBuilder } from 'typeorm';
import {
  type PageRequest,
  creationCursors,
  type Firing,
  type ProjectId,
  type Revision,
  type RunId,
  type SessionId,
  type TaskId,
  type TaskStatus,
  isFileRef,
  notFound,
} from '#domain';
import type { Freshness } from '#event-log';
import type { ContentStore } from '#vault';
import { type Weigh, unweighed } from '#platform';
import { type StoredRow, raw, sql, statement } from '#postgres';
import type { ContentCodec } from '../content-codec.js';
import type { Database } from '../postgres/database.js';
import { openedRows } from '../postgres/opened-rows.js';
import { SCHEMA } from '../postgres/schema.js';
import { TASKS, type TaskRow } from '../tables/tasks.js';
import type { SessionOwners } from './session-owners.js';
import { timestamp, timestampOrNull } from './views.js';
import { type WeighedPage, weighedRows } from './weighed-page.js';

/** A slot that fired; one that was missed has no run. */
export interface FiringView {
  readonly slot: string;
  readonly fired_at: string | null;
  readonly run_id: RunId | null;
  readonly late: boolean;
  /** Why no run comes of it. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** A task as `GET /tasks/{task_id}` shows it. */
export interface TaskView {
  readonly task_id: TaskId;
  readonly session: SessionId;
  readonly schedule: number | string;
  readonly timezone: string;
  readonly message: string;
  readonly status: TaskStatus;
  readonly created_at: string;
  readonly next_run_at: string | null;
  readonly last_run_at: string | null;
  /** The newest 100, newest first. */
  readonly firings: readonly FiringView[];
}

export interface TaskQuery extends PageRequest {
  readonly project: ProjectId;
  readonly session?: SessionId | undefined;
  readonly status?: TaskStatus | undefined;
}

const LIST = {
  table: TASKS,
  id: 'task_id',
  contents: ['message', 'firings'],
  cursors: creationCursors('tasks'),
};

export class TaskQueries {
  constructor(
    readonly database: Database,
    private readonly codec: ContentCodec,
    private readonly content: ContentStore,
    private readonly freshness: Freshness,
    readonly owners: SessionOwners,
  ) {}

  /** @throws Problem not_found; ReadModelsUnavailable */
  async get(project: ProjectId, task: TaskId, weigh: Weigh = unweighed): Promise<TaskView> {
    await this.freshness.caughtUp();
    const [found] = await this.database.find(TASKS, (select) =>
      select.where('tasks.task_id = :task AND tasks.project = :project', { task, project }),
    );
    if (found === undefined) throw notFound('the task');
    await this.owners.require(project, String(found['session']), 'the task');
    const [row] = await openedRows(TASKS, [found], this.codec);
    return this.view(row!, weigh);
  }

  /** Newest first. @throws Problem invalid_request; ReadModelsUnavailable; LogUnavailable; what `weigh` throws */
  async *list(query: TaskQuery, weigh: Weigh = unweighed): WeighedPage<TaskView> {
    await this.freshness.caughtUp();
    const { session, status } = query;
    const narrow = (select: SelectQueryBuilder<StoredRow>): void => {
      if (session !== undefined) select.andWhere('tasks.session = :session', { session });
      if (status !== undefined) select.andWhere('tasks.status = :status', { status });
    };
    const pages = weighedRows(this, LIST, query, narrow, weigh);
    for (;;) {
      const { value, done } = await pages.next();
      if (done === true) return value;
      for (const row of await openedRows(TASKS, value, this.codec)) yield [await this.view(row, weigh)];
    }
  }

  /** How many of a project may fire again: scheduled, or paused. @throws ReadModelsUnavailable */
  async standing(project: ProjectId): Promise<number> {
    await this.freshness.caughtUp();
    const { rows } = await this.database.query(STANDING(project));
    return (rows as readonly { standing: number }[])[0]?.standing ?? 0;
  }

  /** Those that have a next slot, of all projects, with the revision of their latest event. @throws ReadModelsUnavailable */
  async scheduled(): Promise<readonly { task: TaskId; nextAt: number; revision: Revision }[]> {
    const { rows } = await this.database.query({
      text: `SELECT task_id AS task, next_at, revision FROM ${SCHEMA}.tasks WHERE next_at IS NOT NULL AND revision >= 0`,
    });
    return (rows as readonly { task: TaskId; next_at: string; revision: Revision }[]).map(
      ({ task, next_at, revision }) => ({ task, nextAt: Number(next_at), revision }),
    );
  }

  /** Requests with a task whose stream is not there. @throws ReadModelsUnavailable */
  async unmade(): Promise<readonly { session: SessionId; requested: Revision }[]> {
    const { rows } = await this.database.query({
      text: `SELECT DISTINCT session, requested FROM ${SCHEMA}.tasks WHERE revision < 0`,
    });
    return rows as { session: SessionId; requested: Revision }[];
  }

  /** Tasks that fired before this time and whose run is not there. @throws ReadModelsUnavailable */
  async unstarted(before: number): Promise<readonly string[]> {
    const { rows } = await this.database.query(UNSTARTED(before));
    return (rows as readonly { task_id: TaskId }[]).map(({ task_id }) => task_id);
  }

  /** Keys that have something scheduled. @throws ReadModelsUnavailable */
  async keys(): Promise<readonly string[]> {
    const { rows } = await this.database.query({ text: `SELECT DISTINCT actor FROM (${BY_KEY}) AS found` });
    return (rows as readonly { actor: string }[]).map(({ actor }) => actor);
  }

  /** What a key has scheduled, whatever its project. @throws ReadModelsUnavailable */
  async scheduledBy(keyId: string): Promise<readonly string[]> {
    const { rows } = await this.database.query(OF_KEY(keyId));
    return (rows as readonly { task_id: TaskId }[]).map(({ task_id }) => task_id);
  }

  private async view(row: TaskRow, weigh: Weigh): Promise<TaskView> {
    const { message } = row;
    if (isFileRef(message)) await weigh(message.bytes);
    return {
      task_id: row.task,
      session: row.session,
      schedule: row.given,
      timezone: row.timezone ?? 'UTC',
      message: await this.content.textOrNote(row.session, message),
      status: row.status,
      created_at: timestamp(row.createdAt),
      next_run_at: timestampOrNull(row.nextAt),
      last_run_at: timestampOrNull(row.lastFiredAt),
      firings: row.firings.toReversed().map(firingView),
    };
  }
}

/** A replica of the version before writes no actor. */
const BY_KEY = `
  SELECT task_id, actor FROM ${SCHEMA}.tasks WHERE status = 'scheduled' AND actor <> ''
  UNION ALL
  SELECT t.task_id, r.actor FROM ${SCHEMA}.tasks t
    JOIN ${SCHEMA}.runs r ON r.session = t.session AND r.requested = t.requested
    WHERE t.status = 'scheduled' AND t.actor = ''`;

const OF_KEY = statement(
  sql<string>`SELECT task_id FROM (${raw(BY_KEY)}) AS found WHERE actor = ${(key) => key}`,
);

const STANDING = statement(sql<ProjectId>`SELECT count(*)::int AS standing FROM ${raw(SCHEMA)}.tasks
  WHERE project = ${(project) => project} AND status IN ('scheduled', 'paused')`);

const UNSTARTED = statement(sql<number>`SELECT task_id FROM ${raw(SCHEMA)}.tasks
  WHERE last_run IS NOT NULL AND last_run IS DISTINCT FROM started_run AND last_fired_at < ${(before) => before}`);

const firingView = ({ slot, firedAt, run, isLate, failure }: Firing): FiringView => ({
  slot: new Date(slot).toISOString(),
  fired_at: firedAt === null ? null : new Date(firedAt).toISOString(),
  run_id: run,
  late: isLate,
  ...(failure === undefined ? {} : { error: DEADLY }),
});

const DEADLY = {
  code: 'internal',
  message: 'the processes that started this firing ended, again and again: the task was paused',
};
