import type { SelectQueryBuilder } from 'typeorm';
import {
  type ActionId,
  type ActionKind,
  type ActionOutcome,
  type Content,
  type PageRequest,
  type ProjectId,
  type Revision,
  type RunId,
  type SessionId,
  creationCursors,
  isFileRef,
} from '#domain';
import type { Freshness } from '#event-log';
import { type Clock, type Weigh, unweighed } from '#platform';
import { type StoredRow, raw, sql, statement } from '#postgres';
import type { ContentCodec } from '../content-codec.js';
import type { Database } from '../postgres/database.js';
import { openedRows } from '../postgres/opened-rows.js';
import { SCHEMA } from '../postgres/schema.js';
import { ACTIONS, type ActionRow, type ActionStatus } from '../tables/actions.js';
import type { SessionOwners } from './session-owners.js';
import { type WeighedPage, weighedRows } from './weighed-page.js';

/** An action as a list shows it. Times are ms since 1970, contents JSON texts: '' where they are erased. */
export interface ActionEntry {
  readonly id: ActionId;
  readonly session: SessionId;
  readonly run: RunId;
  readonly kind: ActionKind;
  readonly asked: Content;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** null: nobody has decided, and no event says that its time is over */
  readonly resolved: {
    readonly decision: ActionOutcome;
    readonly actor: string;
    readonly content: Content;
    readonly at: number;
  } | null;
  /** When its run ended while it was open; null: that did not happen. */
  readonly overAt: number | null;
}

/** An open action by which a run waits for a budget. */
export interface BudgetWait {
  readonly action: ActionId;
  /** ms since 1970 */
  readonly createdAt: number;
}

export interface ActionQuery extends PageRequest {
  readonly project: ProjectId;
  readonly session?: SessionId | undefined;
  readonly run?: RunId | undefined;
  readonly kind?: ActionKind | undefined;
  readonly status?: ActionStatus | undefined;
}

const LIST = {
  table: ACTIONS,
  id: 'action_id',
  contents: ['question', 'verdict'],
  cursors: creationCursors('actions'),
};

export class ActionQueries {
  constructor(
    readonly database: Database,
    private readonly codec: ContentCodec,
    private readonly freshness: Freshness,
    readonly owners: SessionOwners,
    private readonly clock: Clock,
  ) {}

  /**
   * Newest first. From its time on an open one is among the expired.
   * @throws Problem invalid_request; ReadModelsUnavailable; LogUnavailable; what `weigh` throws
   */
  async *list(query: ActionQuery, weigh: Weigh = unweighed): WeighedPage<ActionEntry> {
    await this.freshness.caughtUp();
    const { session, run, kind, status } = query;
    const now = this.clock.now();
    const narrow = (select: SelectQueryBuilder<StoredRow>): void => {
      if (session !== undefined) select.andWhere('actions.session = :session', { session });
      if (run !== undefined) select.andWhere('actions.run_id = :run', { run });
      if (kind !== undefined) select.andWhere('actions.kind = :kind', { kind });
      if (status !== undefined) select.andWhere(CONDITIONS[status], { status, now });
    };
    const pages = weighedRows(this, LIST, query, narrow, weigh);
    for (;;) {
      const { value, done } = await pages.next();
      if (done === true) return value;
      for (const row of await openedRows(ACTIONS, value, this.codec)) {
        await weigh(bytesInFiles(row.question) + bytesInFiles(row.verdict));
        yield [entryOf(row)];
      }
    }
  }

  /** Revision of the action's `agent_action_required`; null: the project has no such action. @throws ReadModelsUnavailable */
  async askedAt(project: ProjectId, action: ActionId): Promise<Revision | null> {
    await this.freshness.caughtUp();
    const { rows } = await this.database.query(ASKED_AT({ project, action }));
    return (rows as readonly { asked: Revision }[])[0]?.asked ?? null;
  }

  /**
   * Open ones by which runs wait for a budget, of all projects, in the order in which they were asked, behind `after`.
   * @throws ReadModelsUnavailable
   */
  async openBudgets(limit: number, after: BudgetWait = BEFORE_ALL): Promise<readonly BudgetWait[]> {
    const { rows } = await this.database.query(OPEN_BUDGETS({ limit, after }));
    return (rows as readonly { action_id: ActionId; created_at: string }[]).map((row) => ({
      action: row.action_id,
      createdAt: Number(row.created_at),
    }));
  }

  /** Open ones whose time is over, of all projects, those that wait longest first. @throws ReadModelsUnavailable */
  async due(now: number, limit: number): Promise<readonly ActionId[]> {
    const { rows } = await this.database.query(DUE({ now, limit }));
    return (rows as readonly { action_id: ActionId }[]).map(({ action_id }) => action_id);
  }
}

const ASKED_AT = statement(
  sql<{ readonly project: ProjectId; readonly action: ActionId }>`SELECT asked FROM ${raw(SCHEMA)}.actions
    WHERE action_id = ${({ action }) => action} AND project = ${({ project }) => project}`,
);

const BEFORE_ALL: BudgetWait = { action: '', createdAt: 0 };

const OPEN_BUDGETS = statement(
  sql<{
    readonly limit: number;
    readonly after: BudgetWait;
  }>`SELECT action_id, created_at FROM ${raw(SCHEMA)}.actions
    WHERE status = 'open' AND kind = 'budget'
      AND (created_at, action_id) > (${({ after }) => after.createdAt}::bigint, ${({ after }) => after.action}::text)
    ORDER BY created_at, action_id LIMIT ${({ limit }) => limit}`,
);

const DUE = statement(
  sql<{ readonly now: number; readonly limit: number }>`SELECT action_id FROM ${raw(SCHEMA)}.actions
    WHERE status = 'open' AND expires_at <= ${({ now }) => now} ORDER BY expires_at LIMIT ${({ limit }) => limit}`,
);

/** Of rows that show a status now. */
const CONDITIONS: Readonly<Record<ActionStatus, string>> = {
  open: 'actions.status = :status AND actions.expires_at > :now',
  resolved: 'actions.status = :status',
  expired: `(actions.status = :status OR (actions.status = 'open' AND actions.expires_at <= :now))`,
  cancelled: 'actions.status = :status',
};

const bytesInFiles = (content: Content | null): number =>
  content !== null && isFileRef(content) ? content.bytes : 0;

const entryOf = (row: ActionRow): ActionEntry => ({
  id: row.action,
  session: row.session,
  run: row.run,
  kind: row.kind,
  asked: row.question,
  createdAt: row.createdAt,
  expiresAt: row.expiresAt,
  resolved: resolutionOf(row),
  overAt: row.overAt,
});

function resolutionOf({ decision, actor, verdict, resolvedAt }: ActionRow): ActionEntry['resolved'] {
  if (decision === null) return null;
  return { decision, actor: actor ?? '', content: verdict ?? '', at: resolvedAt ?? 0 };
}
