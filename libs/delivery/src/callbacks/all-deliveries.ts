import {
  Cursors,
  type DeliveryStatus,
  type ListPage,
  type ProjectId,
  type RunId,
  type SessionId,
  isCount,
  isId,
} from '#domain';
import {
  type Deliveries,
  type DeliveryEventPlace,
  type DeliveryView,
  type ResendCaller,
  type RunDeliveries,
  type RunPlace,
  viewOf,
} from './deliveries.js';

/** A run that has a callback. */
export interface CallbackPlace extends RunPlace {
  /** ms since 1970 */
  readonly createdAt: number;
}

export interface DeliveryFilter {
  readonly project: ProjectId;
  readonly session?: SessionId | undefined;
  readonly run?: RunId | undefined;
  readonly status?: DeliveryStatus | undefined;
  /** Times of the events, ms since 1970; `to` is exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Port: runs with a callback that may have such deliveries, newest first. */
export interface CallbackIndex {
  list(
    filter: DeliveryFilter & {
      readonly upTo?: { readonly createdAt: number; readonly run: RunId } | undefined;
    },
    limit: number,
  ): Promise<readonly CallbackPlace[]>;
}

/** A delivery among those of all runs. */
export interface ListedDelivery extends DeliveryView {
  readonly run_id: RunId;
  readonly session: SessionId;
  /** When its event was written. */
  readonly created_at: string;
}

interface Place {
  readonly createdAt: number;
  readonly run: RunId;
  /** Those before it are left. */
  readonly sequence: number;
}

/** Runs that are read for one page: a filter that fits little must not read everything. */
const MAX_RUNS = 100;
const RUNS_AT_ONCE = 20;
/** What is asked for again at once, and in one append. */
export const MAX_RESENT = 10_000;
const IN_ONE_APPEND = 200;

const CURSORS = new Cursors<Place>(
  'all_deliveries',
  ({ createdAt, run, sequence }) => [createdAt, run, sequence],
  ([createdAt, run, sequence]) =>
    isCount(createdAt) && isId(run) && isCount(sequence) ? { createdAt, run, sequence } : null,
);

/** The deliveries of all runs of a project: which runs, a table says; their deliveries, the log. */
export class AllDeliveries {
  constructor(
    private readonly deliveries: Deliveries,
    private readonly index: CallbackIndex,
  ) {}

  /**
   * Newest runs first, of each the newest event first. A page may hold fewer than asked for and go on all the same.
   * @throws Problem invalid_request; LogUnavailable; what the index throws
   */
  async list(filter: DeliveryFilter, limit: number, cursor?: string): Promise<ListPage<ListedDelivery>> {
    const owner = { project: filter.project };
    const from = CURSORS.decode(cursor, owner);
    const items: ListedDelivery[] = [];
    let read = 0;
    for await (const { place, known, events } of this.runs(filter, from)) {
      for (const event of events) {
        const at = { createdAt: place.createdAt, run: place.run };
        if (items.length === limit)
          return { items, next_cursor: CURSORS.encode({ ...at, sequence: event.sequence + 1 }, owner) };
        items.push(listed(place, known, event));
      }
      if (++read < MAX_RUNS) continue;
      const at = { createdAt: place.createdAt, run: place.run, sequence: 0 };
      return { items, next_cursor: CURSORS.encode(at, owner) };
    }
    return { items, next_cursor: null };
  }

  /** Asks for all that fit to be sent again, MAX_RESENT at most; returns how many. @throws as `list` */
  async resend(filter: DeliveryFilter, actor: string): Promise<number> {
    const caller: ResendCaller = { project: filter.project, actor };
    let count = 0;
    for await (const { place, events } of this.runs(filter, null)) {
      const wanted = events.slice(0, MAX_RESENT - count).toReversed();
      for (let at = 0; at < wanted.length; at += IN_ONE_APPEND)
        await this.deliveries.resendAll(place, wanted.slice(at, at + IN_ONE_APPEND), caller);
      count += wanted.length;
      if (count === MAX_RESENT) break;
    }
    return count;
  }

  /** Of each run the events that fit, the newest first. */
  private async *runs(filter: DeliveryFilter, from: Place | null): AsyncGenerator<FoundRun> {
    let upTo = from === null ? undefined : { createdAt: from.createdAt, run: from.run };
    let before = from;
    for (;;) {
      const places = await this.index.list({ ...filter, upTo }, RUNS_AT_ONCE + 1);
      for (const place of places) {
        const isBegun = before !== null && before.run === place.run;
        const known = isBegun && before?.sequence === 0 ? null : await this.deliveries.of(place);
        if (known === null) continue;
        const events = await this.fitting(place, known, filter);
        yield {
          place,
          known,
          events: isBegun ? events.filter(({ sequence }) => sequence < (before?.sequence ?? 0)) : events,
        };
      }
      const last = places.at(-1);
      if (last === undefined || places.length <= RUNS_AT_ONCE) return;
      upTo = { createdAt: last.createdAt, run: last.run };
      before = { ...upTo, sequence: 0 };
    }
  }

  private async fitting(
    place: RunPlace,
    { fold }: RunDeliveries,
    { status, from = 0, to = Infinity }: DeliveryFilter,
  ): Promise<DeliveryEventPlace[]> {
    const events: DeliveryEventPlace[] = [];
    for await (const event of this.deliveries.events(place)) {
      if (event.time < from || event.time >= to) continue;
      if (status === undefined || fold.record(event.sequence).status === status) events.push(event);
    }
    return events.reverse();
  }
}

interface FoundRun {
  readonly place: CallbackPlace;
  readonly known: RunDeliveries;
  readonly events: readonly DeliveryEventPlace[];
}

const listed = (
  { run, session }: CallbackPlace,
  known: RunDeliveries,
  event: DeliveryEventPlace,
): ListedDelivery => ({
  ...viewOf(known, event),
  run_id: run,
  session,
  created_at: new Date(event.time).toISOString(),
});
