import {
  Cursors,
  DeliveryFold,
  type DeliveryStatus,
  type EventPlace,
  type ListPage,
  asDeliveryEvent,
  deliveryId,
  deliveryStream,
  isCount,
  isEndType,
  isPublicType,
  notFound,
  pageOf,
  sequenceOfDelivery,
  sessionStream,
  type ProjectId,
  type RunId,
  type SessionId,
} from '#domain';
import {
  type EventLog,
  LogUnavailable,
  NO_EVENTS,
  type Revision,
  appendUntilDefinite,
  lastRevisionOf,
  newEvent,
  eventAt,
} from '#event-log';
import { type Clock, type Random, type SecretBox, SealBroken } from '#platform';
import { openCallback } from './callback.js';

/** A delivery as `GET /runs/{run_id}/deliveries` shows it. */
export interface DeliveryView {
  readonly delivery_id: string;
  readonly sequence: number;
  /** Of the event. */
  readonly type: string;
  /** Revision of the event in its session. */
  readonly event_id: string;
  /** Where it is sent: the URL's origin alone. null: nobody can tell any more. */
  readonly target: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly next_attempt_at: string | null;
  /** Why the latest attempt had no answer. */
  readonly last_error: string | null;
  /** The beginning of the latest answer. */
  readonly last_response: string | null;
  readonly last_attempt_at: string | null;
}

export interface RunPlace {
  readonly session: SessionId;
  readonly run: RunId;
  /** Revision of its `run_requested`. */
  readonly requested: Revision;
}

/** A public event of a run that has a callback. */
export interface DeliveryEventPlace extends EventPlace {
  readonly type: string;
  /** ms since 1970 */
  readonly time: number;
}

/** What is known of a run's deliveries now. */
export interface RunDeliveries {
  readonly run: RunId;
  readonly target: string | null;
  readonly fold: DeliveryFold;
  /** Last revision of its `delivery-` stream. */
  readonly last: Revision;
}

export interface DeliveriesPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly box: SecretBox;
}

/** Who asks for something to be sent again. */
export interface ResendCaller {
  readonly project: ProjectId;
  readonly actor: string;
}

const RETRIES = 20;

const CURSORS = new Cursors<EventPlace>(
  'deliveries',
  ({ sequence, revision }) => [sequence, revision],
  ([sequence, revision]) => (isCount(sequence) && isCount(revision) ? { sequence, revision } : null),
);

/** The deliveries of a run, read from the log: its events, and what became of them. */
export class Deliveries {
  constructor(private readonly ports: DeliveriesPorts) {}

  /** In the order of the events. @throws Problem invalid_request; LogUnavailable */
  async list(place: RunPlace, limit: number, cursor?: string): Promise<ListPage<DeliveryView>> {
    const { run } = place;
    const from = CURSORS.decode(cursor, { run }) ?? { sequence: 0, revision: place.requested };
    const known = await this.of(place);
    if (known === null) return { items: [], next_cursor: null };
    const found: DeliveryEventPlace[] = [];
    for await (const event of this.events(place, from)) {
      found.push(event);
      if (found.length > limit) break;
    }
    const { items, next_cursor } = pageOf(found, limit, (last) => CURSORS.encode(last, { run }));
    return { items: items.map((event) => viewOf(known, event)), next_cursor };
  }

  /** Asks for an event to be sent again, soon. @throws Problem not_found; LogUnavailable */
  async resend(place: RunPlace, delivery: string, caller: ResendCaller): Promise<DeliveryView> {
    const event = await this.find(place, sequenceOfDelivery(place.run, delivery));
    if (event === null) throw notFound('the delivery');
    await this.resendAll(place, [event], caller);
    return viewOf((await this.of(place))!, event);
  }

  /** The same of several events of a run, in one append. @throws LogUnavailable */
  async resendAll(place: RunPlace, events: readonly EventPlace[], caller: ResendCaller): Promise<void> {
    const { log, clock, random } = this.ports;
    const meta = { schemaVersion: 1, run: place.run, ...caller };
    const time = clock.now();
    const asked = events.map(({ sequence, revision }) => {
      const data = { sequence, revision, requested: place.requested };
      return newEvent({ id: random.uuid(), type: 'delivery_resend_requested', time, data }, meta);
    });
    const stream = deliveryStream(place.run);
    for (let left = RETRIES; left > 0; left -= 1) {
      const last = await lastRevisionOf(log, stream);
      const expected = last === NO_EVENTS ? 'no_stream' : last;
      const result = await appendUntilDefinite(log, clock, random, stream, asked, { expected });
      if (result.kind === 'appended') return;
    }
    throw new LogUnavailable('the deliveries of this run are being written all the time');
  }

  /** null: the run has no callback. @throws LogUnavailable */
  async of(place: RunPlace): Promise<RunDeliveries | null> {
    const callback = await this.callbackOf(place);
    return callback === null
      ? null
      : { run: place.run, target: callback.target, ...(await this.load(place.run)) };
  }

  /** The run's public events behind a place, or all. @throws LogUnavailable */
  async *events(
    { session, run, requested }: RunPlace,
    from: EventPlace = { sequence: 0, revision: requested },
  ): AsyncGenerator<DeliveryEventPlace> {
    let { sequence } = from;
    for await (const page of this.ports.log.readStream(sessionStream(session), { after: from.revision })) {
      for (const { type, meta, revision, time } of page) {
        if (meta.run !== run || !isPublicType(type)) continue;
        sequence += 1;
        yield { sequence, revision, type, time };
        if (isEndType(type)) return;
      }
    }
  }

  /** null: there is none. */
  private async callbackOf({ session, requested }: RunPlace): Promise<{ target: string | null } | null> {
    const event = await eventAt(this.ports.log, sessionStream(session), requested);
    if (event === undefined || event.isUnreadable === true) return null;
    const { callback } = event.data as MaybeCallback;
    return callback === undefined ? null : { target: this.targetOf(event.meta.project, callback) };
  }

  private targetOf(project: ProjectId, sealed: string): string | null {
    try {
      return new URL(openCallback(this.ports.box, project, sealed).url).origin;
    } catch (error) {
      if (error instanceof SealBroken) return null;
      throw error;
    }
  }

  private async find(place: RunPlace, sequence: number | null): Promise<DeliveryEventPlace | null> {
    if (sequence === null || (await this.callbackOf(place)) === null) return null;
    for await (const event of this.events(place)) if (event.sequence === sequence) return event;
    return null;
  }

  private async load(run: RunId): Promise<{ fold: DeliveryFold; last: Revision }> {
    const fold = new DeliveryFold();
    let last = NO_EVENTS;
    for await (const page of this.ports.log.readStream(deliveryStream(run))) {
      for (const recorded of page) {
        const event = asDeliveryEvent(recorded);
        if (event !== null) fold.push(event);
        last = recorded.revision;
      }
    }
    return { fold, last };
  }
}

export function viewOf(
  { run, target, fold }: RunDeliveries,
  { sequence, type, revision }: DeliveryEventPlace,
): DeliveryView {
  const record = fold.record(sequence);
  return {
    delivery_id: deliveryId(run, sequence),
    sequence,
    type,
    event_id: String(revision),
    target,
    status: record.status,
    attempts: record.attempts,
    last_status: record.lastStatus,
    next_attempt_at: timestampOf(record.nextAt),
    last_error: record.lastError,
    last_response: record.lastResponse,
    last_attempt_at: timestampOf(record.lastAt),
  };
}

interface MaybeCallback {
  /** Sealed. */
  readonly callback?: string;
}

const timestampOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
