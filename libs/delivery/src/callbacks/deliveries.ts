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
  newEvent,
} from '#event-log';
import type { Clock, Random } from '#platform';

/** A delivery as `GET /runs/{run_id}/deliveries` shows it. */
export interface DeliveryView {
  readonly delivery_id: string;
  readonly sequence: number;
  /** Of the event. */
  readonly type: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly next_attempt_at: string | null;
  /** Why the latest attempt had no answer. */
  readonly last_error: string | null;
  /** The beginning of the latest answer. */
  readonly last_response: string | null;
}

export interface RunPlace {
  readonly session: SessionId;
  readonly run: RunId;
  /** Revision of its `run_requested`. */
  readonly requested: Revision;
}

interface DeliveryEventPlace extends EventPlace {
  readonly type: string;
}

const RETRIES = 20;

const CURSORS = new Cursors<EventPlace>(
  'deliveries',
  ({ sequence, revision }) => [sequence, revision],
  ([sequence, revision]) => (isCount(sequence) && isCount(revision) ? { sequence, revision } : null),
);

/** The deliveries of a run, read from the log: its events, and what became of them. */
export class Deliveries {
  constructor(
    private readonly ports: { readonly log: EventLog; readonly clock: Clock; readonly random: Random },
  ) {}

  /** In the order of the events. @throws Problem invalid_request; LogUnavailable */
  async list(place: RunPlace, limit: number, cursor?: string): Promise<ListPage<DeliveryView>> {
    const { run } = place;
    const from = CURSORS.decode(cursor, { run }) ?? { sequence: 0, revision: place.requested };
    if (!(await this.hasCallback(place))) return { items: [], next_cursor: null };
    const found: DeliveryEventPlace[] = [];
    for await (const event of this.events(place, from)) {
      found.push(event);
      if (found.length > limit) break;
    }
    const { fold } = await this.load(run);
    const { items, next_cursor } = pageOf(found, limit, (last) => CURSORS.encode(last, { run }));
    return { items: items.map((event) => viewOf(run, event, fold)), next_cursor };
  }

  /** Asks for an event to be sent again, soon. @throws Problem not_found; LogUnavailable */
  async resend(
    place: RunPlace,
    delivery: string,
    caller: { readonly project: ProjectId; readonly actor: string },
  ): Promise<DeliveryView> {
    const event = await this.find(place, sequenceOfDelivery(place.run, delivery));
    if (event === null) throw notFound('the delivery');
    const { log, clock, random } = this.ports;
    const { sequence, revision } = event;
    const data = { sequence, revision, requested: place.requested };
    const meta = { schemaVersion: 1, run: place.run, ...caller };
    const fields = { type: 'delivery_resend_requested', time: clock.now(), data } as const;
    const asked = newEvent({ id: random.uuid(), ...fields }, meta);
    for (let left = RETRIES; left > 0; left -= 1) {
      const { fold, last } = await this.load(place.run);
      const expected = last === NO_EVENTS ? 'no_stream' : last;
      const stream = deliveryStream(place.run);
      const result = await appendUntilDefinite(log, clock, random, stream, [asked], { expected });
      if (result.kind === 'conflict') continue;
      fold.push(fields);
      return viewOf(place.run, event, fold);
    }
    throw new LogUnavailable('the deliveries of this run are being written all the time');
  }

  private async hasCallback({ session, requested }: RunPlace): Promise<boolean> {
    const options = { after: requested - 1, limit: 1 };
    for await (const [event] of this.ports.log.readStream(sessionStream(session), options))
      return event?.isUnreadable !== true && hasCallback(event?.data);
    return false;
  }

  private async find(place: RunPlace, sequence: number | null): Promise<DeliveryEventPlace | null> {
    if (sequence === null || !(await this.hasCallback(place))) return null;
    for await (const event of this.events(place, { sequence: 0, revision: place.requested }))
      if (event.sequence === sequence) return event;
    return null;
  }

  /** The run's public events behind a place. */
  private async *events({ session, run }: RunPlace, from: EventPlace): AsyncGenerator<DeliveryEventPlace> {
    let { sequence } = from;
    for await (const page of this.ports.log.readStream(sessionStream(session), { after: from.revision })) {
      for (const { type, meta, revision } of page) {
        if (meta.run !== run || !isPublicType(type)) continue;
        sequence += 1;
        yield { sequence, revision, type };
        if (isEndType(type)) return;
      }
    }
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

function viewOf(run: RunId, { sequence, type }: DeliveryEventPlace, fold: DeliveryFold): DeliveryView {
  const record = fold.record(sequence);
  return {
    delivery_id: deliveryId(run, sequence),
    sequence,
    type,
    status: record.status,
    attempts: record.attempts,
    last_status: record.lastStatus,
    next_attempt_at: record.nextAt === null ? null : new Date(record.nextAt).toISOString(),
    last_error: record.lastError,
    last_response: record.lastResponse,
  };
}

const hasCallback = (data: object | undefined): boolean => data !== undefined && 'callback' in data;
