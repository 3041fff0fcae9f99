import type { ProjectId, Revision, RunId, SessionId, DeliveryStatus } from '#domain';
import type { Freshness } from '#event-log';
import type { ContentCodec } from '../content-codec.js';
import type { Database } from '../postgres/database.js';
import { openedRows } from '../postgres/opened-rows.js';
import { CALLBACKS } from '../tables/callbacks.js';
import type { SessionOwners } from './session-owners.js';

/** A run that has a callback. */
export interface CallbackEntry {
  readonly run: RunId;
  readonly session: SessionId;
  /** Revision of its `run_requested`. */
  readonly requested: Revision;
  /** ms since 1970 */
  readonly createdAt: number;
}

export interface CallbackQuery {
  readonly project: ProjectId;
  readonly session?: SessionId | undefined;
  readonly run?: RunId | undefined;
  /** Those that may have such deliveries, and all that have. */
  readonly status?: DeliveryStatus | undefined;
  /** Those that may have deliveries of events of this time, ms since 1970. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** That one and older ones; absent: from the newest on. */
  readonly upTo?: { readonly createdAt: number; readonly run: RunId } | undefined;
}

/** What a run that has them is known by; any run with a callback may have delivered something. */
const CONDITIONS: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'callbacks.is_open',
  retrying: 'callbacks.is_open',
  delivered: 'TRUE',
  failed: 'callbacks.has_failed',
  stopped: 'callbacks.is_stopped',
};

export class CallbackQueries {
  constructor(
    private readonly database: Database,
    private readonly codec: ContentCodec,
    private readonly freshness: Freshness,
    private readonly owners: SessionOwners,
  ) {}

  /** Newest first, so many at most. @throws ReadModelsUnavailable; LogUnavailable */
  async list(query: CallbackQuery, limit: number): Promise<readonly CallbackEntry[]> {
    await this.freshness.caughtUp();
    const { project, session, run, status, from, to, upTo } = query;
    const found = await this.database.find(CALLBACKS, (select) => {
      select.where('callbacks.project = :project', { project });
      if (session !== undefined) select.andWhere('callbacks.session = :session', { session });
      if (run !== undefined) select.andWhere('callbacks.run_id = :run', { run });
      if (status !== undefined) select.andWhere(CONDITIONS[status]);
      if (to !== undefined) select.andWhere('callbacks.created_at < :to', { to });
      // What waits, or is not sent any more, may be later than what was sent last.
      if (from !== undefined)
        select.andWhere(
          '(callbacks.is_open OR callbacks.is_stopped OR coalesce(callbacks.changed_at, callbacks.created_at) >= :from)',
          { from },
        );
      if (upTo !== undefined)
        select.andWhere('(callbacks.created_at, callbacks.run_id) <= (:createdAt, :upTo)', {
          createdAt: upTo.createdAt,
          upTo: upTo.run,
        });
      return select
        .orderBy('callbacks.created_at', 'DESC')
        .addOrderBy('callbacks.run_id', 'DESC')
        .limit(limit);
    });
    return this.owners.only(project, await openedRows(CALLBACKS, found, this.codec));
  }
}
