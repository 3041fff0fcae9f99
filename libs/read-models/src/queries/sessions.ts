import {
  type ListPage,
  type PageRequest,
  creationCursors,
  notFound,
  pageOf,
  type ProjectId,
  type SessionId,
} from '#domain';
import type { ContentCodec } from '../content-codec.js';
import { SessionEntity } from '../entities/session.entity.js';
import type { Database } from '../postgres/database.js';
import type { RunStatus } from '../projection/rows.js';
import type { Freshness } from './freshness.js';
import type { SessionOwners } from './session-owners.js';
import { dollars, timestamp } from './views.js';

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
    const [row] = await this.database.find(SessionEntity, 'session', (select) =>
      select.where('session.session = :session AND session.project = :project', { session, project }),
    );
    if (row === undefined) throw notFound('the session');
    await this.owners.require(project, session, 'the session');
    await this.codec.ready([row.title]);
    return this.view(row);
  }

  /** Newest first. @throws Problem invalid_request; ReadModelsUnavailable */
  async list({ project, limit, cursor }: SessionQuery): Promise<ListPage<SessionView>> {
    const after = CURSORS.decode(cursor, { project });
    await this.freshness.caughtUp();
    const found = await this.database.find(SessionEntity, 'session', (select) => {
      select.where('session.project = :project', { project });
      if (after !== null) select.andWhere('(session.createdAt, session.session) < (:createdAt, :id)', after);
      return select
        .orderBy('session.createdAt', 'DESC')
        .addOrderBy('session.session', 'DESC')
        .limit(limit + 1);
    });
    const own = new Set(await this.owners.only(project, found));
    await this.codec.ready([...own].map(({ title }) => title));
    const { items, next_cursor } = pageOf(found, limit, ({ createdAt, session }) =>
      CURSORS.encode({ createdAt: Number(createdAt), id: session }, { project }),
    );
    return { items: items.filter((row) => own.has(row)).map((row) => this.view(row)), next_cursor };
  }

  private view(row: SessionEntity): SessionView {
    return {
      session: row.session,
      title: row.title === null ? null : this.codec.open(row.session, row.title),
      message_count: row.messageCount + (row.hasOpenText ? 1 : 0),
      last_status: row.lastStatus as RunStatus | null,
      cost: dollars(row.cost),
      created_at: timestamp(row.createdAt),
    };
  }
}
