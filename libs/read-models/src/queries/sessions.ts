import {
  type ListPage,
  type PageRequest,
  type ProjectId,
  type SessionId,
  creationCursors,
  notFound,
  pageOf,
} from '#domain';
import { NOTHING_INHERITED, type RunStatus, type SessionView, viewOfSession } from '#projections';
import type { Freshness } from '#event-log';
import type { StoredRow } from '#postgres';
import type { ContentCodec } from '../content-codec.js';
import type { Database } from '../postgres/database.js';
import { openedRows } from '../postgres/opened-rows.js';
import { SESSIONS } from '../tables/sessions.js';
import type { SessionLines } from './session-lines.js';
import type { SessionOwners } from './session-owners.js';

export interface SessionQuery extends PageRequest {
  readonly project: ProjectId;
  /** Of the run that was requested last. */
  readonly status?: RunStatus | undefined;
  /** When it was opened, ms since 1970; `to` is exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

const CURSORS = creationCursors('sessions');

export class SessionQueries {
  constructor(
    private readonly database: Database,
    private readonly codec: ContentCodec,
    private readonly freshness: Freshness,
    private readonly owners: SessionOwners,
    private readonly lines: SessionLines,
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
    const [view] = await this.views(found);
    return view!;
  }

  /** Newest first. @throws Problem invalid_request; ReadModelsUnavailable */
  async list({ project, status, from, to, limit, cursor }: SessionQuery): Promise<ListPage<SessionView>> {
    const after = CURSORS.decode(cursor, { project });
    await this.freshness.caughtUp();
    const found = await this.database.find(SESSIONS, (select) => {
      select.where('sessions.project = :project', { project });
      if (status !== undefined) select.andWhere('sessions.last_status = :status', { status });
      if (from !== undefined) select.andWhere('sessions.created_at >= :from', { from });
      if (to !== undefined) select.andWhere('sessions.created_at < :to', { to });
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
    return { items: await this.views(own), next_cursor };
  }

  private async views(stored: readonly StoredRow[]): Promise<SessionView[]> {
    const known = this.lines.openings();
    const views: SessionView[] = [];
    for (const row of await openedRows(SESSIONS, stored, this.codec)) {
      const { session, forkedFrom, inherits } = row;
      const isFork = forkedFrom !== null;
      const inherited = isFork ? await this.lines.inherited(session, inherits, { known }) : NOTHING_INHERITED;
      views.push(viewOfSession(row, inherited));
    }
    return views;
  }
}
