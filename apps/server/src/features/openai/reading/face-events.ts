import { Injectable } from '@nestjs/common';
import {
  type ProjectId,
  type RecordedSessionEvent,
  type Revision,
  type RunId,
  type SessionId,
  isEndType,
  knownSessionEvent,
  notFound,
  sessionStream,
} from '#domain';
import { EventLog, type RecordedEvent, eventAt } from '#event-log';
import { type Weigh, unweighed } from '#platform';
import { ContentStore } from '#vault';
import { RunPlaces } from '../../runs/shared/run-places.js';
import { bytesWithTexts, withTexts } from './event-texts.js';

/** Where a run's events stand, with those that it goes on with. */
export interface FacePlace {
  readonly session: SessionId;
  readonly run: RunId;
  /** Revision before the first of them. */
  readonly before: Revision;
  /** The run, and those that it goes on with. */
  readonly runs: ReadonlySet<RunId>;
}

/** Reads the events of runs, with all of their texts. */
@Injectable()
export class FaceEvents {
  constructor(
    private readonly log: EventLog,
    private readonly contents: ContentStore,
    private readonly places: RunPlaces,
  ) {}

  /** @throws Problem not_found; LogUnavailable, ReadModelsUnavailable */
  async place(project: ProjectId, run: RunId): Promise<FacePlace> {
    const { session, before: requested } = await this.places.find(project, run);
    return this.placeFrom(session, run, requested);
  }

  /** The same of a run that is known. @param requested revision of its request */
  async placeFrom(session: SessionId, run: RunId, requested: Revision): Promise<FacePlace> {
    const runs = new Set([run]);
    let first = requested;
    for (let before = await this.retriedBy(session, first); before !== null;) {
      runs.add(before.run);
      first = before.requested;
      before = await this.retriedBy(session, first);
    }
    // The request of its response stands before it.
    return { session, run, before: first - 2, runs };
  }

  /** Up to now, or to the end of the run. @throws Problem not_found: erased; LogUnavailable; what `weigh` throws */
  async *recorded(place: FacePlace, weigh: Weigh = unweighed): AsyncGenerator<RecordedSessionEvent> {
    const { session, before } = place;
    for await (const page of this.log.readStream(sessionStream(session), { after: before })) {
      await weigh(bytesWithTexts(page));
      for (const event of page) {
        const known = await this.known(event, place);
        if (known === null) continue;
        yield known;
        if (isEnd(known, place)) return;
      }
    }
  }

  /** As they come, in the batches in which they came, until the run's end. @throws as `recorded` */
  async *followed(place: FacePlace, signal: AbortSignal): AsyncGenerator<readonly RecordedSessionEvent[]> {
    const { session, before: after } = place;
    for await (const page of this.log.subscribeStream(sessionStream(session), { after, signal })) {
      const events: RecordedSessionEvent[] = [];
      for (const event of page) {
        const known = isPlain(event) ? this.plain(event, place) : await this.known(event, place);
        if (known !== null) events.push(known);
      }
      yield events;
      if (events.some((event) => isEnd(event, place))) return;
    }
  }

  /** Behind the run's end stands what was done to its responses. @throws Problem not_found: deleted, or erased; LogUnavailable */
  async requireShown(place: FacePlace, response: string): Promise<void> {
    const { session, before: after } = place;
    for await (const page of this.log.readStream(sessionStream(session), { after }))
      for (const event of page) {
        const isDeleted = event.type === 'response_deleted' && isOf(event, response);
        if (isDeleted || isErasedBy(event)) throw notFound('the response');
      }
  }

  private async known(event: RecordedEvent, place: FacePlace): Promise<RecordedSessionEvent | null> {
    const known = this.plain(event, place);
    return known && withTexts(known, event.json, place.session, this.contents);
  }

  private plain(event: RecordedEvent, { runs }: FacePlace): RecordedSessionEvent | null {
    if (isErasedBy(event)) throw notFound('the response');
    return runs.has(event.meta.run ?? '') ? knownSessionEvent(event) : null;
  }

  private async retriedBy(
    session: SessionId,
    requested: Revision,
  ): Promise<{ readonly run: RunId; readonly requested: Revision } | null> {
    const event = await eventAt(this.log, sessionStream(session), requested);
    const known = event === undefined ? null : knownSessionEvent(event);
    return known?.type === 'run_requested' ? (known.data.retry_of ?? null) : null;
  }
}

/** Pieces of text, of which there are many, lie in no files mostly. */
const isPlain = ({ json }: RecordedEvent): boolean => !json.includes('"$file"');

const isEnd = (event: RecordedSessionEvent, { run }: FacePlace): boolean =>
  event.meta.run === run && isEndType(event.type);

const isErasedBy = ({ isErased, type }: RecordedEvent): boolean =>
  isErased === true || type === 'session_erased';

const isOf = ({ data }: RecordedEvent, response: string): boolean =>
  (data as { readonly response?: string }).response === response;
