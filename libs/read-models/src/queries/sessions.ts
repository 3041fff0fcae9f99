import {
  type ListPage,
  type PageRequest,
  type ProjectId,
  type SessionId,
  creationCursors,
  formatDollars,
  notFound,
  pageOf,
} from '#domain';
import type { Freshness } from '#event-log';
import type { ContentCodec } from '../content-codec.js';
import type { Database } from '../postgres/database.js';
import { openedRows } from '../postgres/opened-rows.js';
import type { RunStatus } from '../tables/runs.js';
import { SESSIONS, type SessionRow } from '../tables/sessions.js';
import type { SessionOwners } from './session-owners.js';
import { timestamp } from './views.js';

/** A session as `GET /sessions/{session}` shows it. */
export interface SessionView {
  readonly session: SessionId;
  /** The beginning of its first message; null where the history is empty. */
  readonly title: string | null;
  readonly message_count: number;
  /** Of the run that was requested last. */
  readonly last_status: RunStatus | null;
  readonly cost: string;
  readonly created_at: string;
}

export interface SessionQuery extends PageRequest {
  readonly project: ProjectId;
}

const CURSORS = creationCursors('sessions');

export class SessionQueries {
  constructor(
    private readonly database: Database,
    private readonly codec: ContentCodec,
    private readonly freshness: Freshness,
    private readonly owners: SessionOwners,
  ) {}

  /** Resolves when the lists show what was done before; in any case after 2 s. */
  async caughtUp(): Promise<void> {
    await this.freshness.caughtUp();
  }

  /** @throws Problem not_found; ReadModelsUnavailable */
  async get(project: ProjectId, session: SessionId): Promise<SessionView> {
    await this.freshness.caughtUp();
    const found = await this.database.find(SESSIONS, (select) =>
      select.where('sessions.session = :session AND sessions.project = :project', { session, project }),
    );
    if (found.length === 0) throw notFound('the session');
    await this.owners.require(project, session, 'the session');
    const [row] = await openedRows(SESSIONS, found, this.codec);
    return viewOf(row!);
  }

  /** Newest first. @throws Problem invalid_request; ReadModelsUnavailable */
  async list({ project, limit, cursor }: SessionQuery): Promise<ListPage<SessionView>> {
    const after = CURSORS.decode(cursor, { project });
    await this.freshness.caughtUp();
    const found = await this.database.find(SESSIONS, (select) => {
      select.where('sessions.project = :project', { project });
      if (after !== null)
        select.andWhere('(sessions.created_at, sessions.session) < (:createdAt, :id)', after);
      return select
        .orderBy('sessions.created_at', 'DESC')
        .addOrderBy('sessions.session', 'DESC')
        .limit(limit + 1);
    });
    const places = found.map((row) => ({ row, session: String(row['session']) }));
    const { items, next_cursor } = pageOf(places, limit, ({ row, session }) =>
      CURSORS.encode({ createdAt: Number(row['created_at']), id: session }, { project }),
    );
    const own = (await this.owners.only(project, items)).map(({ row }) => row);
    return { items: (await openedRows(SESSIONS, own, this.codec)).map(viewOf), next_cursor };
  }
}

const viewOf = (row: SessionRow): SessionView => ({
  session: row.session,
  title: row.title,
  message_count: row.messageCount + (row.hasOpenText ? 1 : 0),
  last_status: row.lastStatus,
  cost: formatDollars(row.cost),
  created_at: timestamp(row.createdAt),
});
