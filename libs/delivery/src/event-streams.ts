import { isEndType, isPublicType, sessionStream, type RunId, type SessionId } from '#domain';
import { type ContentStore } from '#vault';
import { type EventLog, type RecordedEvent, type Revision, isErasure, lastRevisionOf } from '#event-log';
import { type Weigh, unweighed } from '#platform';
import type { ClientSink } from './client-sink.js';
import { fetchedBytes, publicJson } from './public-json.js';

export interface StreamRequest {
  readonly session: SessionId;
  /** Only the events of this run, and no further than its end; absent: the session's, for as long as the client stays. */
  readonly run?: RunId;
  /** Exclusive. */
  readonly after: number;
}

export interface RecordedPublicEvent {
  readonly id: number;
  /** The event's JSON text. */
  readonly json: string;
}

/** What is gathered into one write; a client that reads slowly costs about this much memory. */
const WRITE_CHARS = 64 * 1024;

/** Read of a page of events before it is known how large they are. */
const FIRST_EVENTS = 16;
/** What a page of the log brings into memory, for Weigh. */
const LOG_PAGE_BYTES = 512 * 1024;

/**
 * Streams a session's events to a client (SSE): from any revision, then live. The log is the buffer: nothing is
 * buffered per client.
 */
export class EventStreams {
  constructor(
    private readonly log: EventLog,
    private readonly contents: ContentStore,
  ) {}

  /** Resolves when the run's last event is on its way, or the client is gone. @throws LogUnavailable */
  async send(request: StreamRequest, sink: ClientSink): Promise<void> {
    const options = { after: request.after, signal: sink.gone };
    let last = '';
    try {
      for await (const events of this.log.subscribeStream(sessionStream(request.session), options)) {
        let frame = NOTHING_SENT;
        while (frame.next < events.length && !frame.isLast) {
          const made = this.frameOf(events, frame.next, request);
          frame = made instanceof Promise ? await made : made;
          // The last one leaves with the end of the answer.
          const leaving = frame.isLast || frame.text === '' ? undefined : sink.write(frame.text);
          if (leaving) await leaving;
        }
        if (!frame.isLast) continue;
        last = frame.text;
        break;
      }
    } catch (error) {
      // Erased while it was sent: a file of what was read before is gone.
      if (!isErasure(error)) throw error;
    }
    sink.end(last);
  }

  /** The last revision of a session's stream. @throws LogUnavailable */
  head(session: SessionId): Promise<Revision> {
    return lastRevisionOf(this.log, sessionStream(session));
  }

  /** A page of recorded events after a revision, and whether there may be more. */
  async page(
    request: StreamRequest,
    limit: number,
  ): Promise<{ items: RecordedPublicEvent[]; hasMore: boolean }> {
    const items: RecordedPublicEvent[] = [];
    const events = this.events(request, limit);
    for (let next = await events.next(); ; next = await events.next()) {
      if (next.done === true) return { items, hasMore: next.value };
      items.push(next.value);
    }
  }

  /** The same, of which only one event is in memory at a time; returns whether there may be more. */
  async *events(
    request: StreamRequest,
    limit: number,
    weigh: Weigh = unweighed,
  ): AsyncGenerator<RecordedPublicEvent, boolean> {
    try {
      return yield* this.read(request, limit, weigh);
    } catch (error) {
      // Erased while it was read: what comes behind is gone.
      if (!isErasure(error)) throw error;
      return false;
    }
  }

  private async *read(
    request: StreamRequest,
    limit: number,
    weigh: Weigh,
  ): AsyncGenerator<RecordedPublicEvent, boolean> {
    let count = 0;
    for await (const events of this.pages(request, weigh)) {
      for (const event of events) {
        if (isGone(event)) return false;
        if (!isWanted(event, request)) continue;
        if (count++ === limit) return true;
        await weigh(fetchedBytes(event));
        yield { id: event.revision, json: await publicJson(event, request.session, this.contents) };
        if (request.run !== undefined && isEndType(event.type)) return false;
      }
    }
    return false;
  }

  /** Of the stream; the log's own pages, which are large, only when it is known to be longer than a few events. */
  private async *pages(
    { session, after }: StreamRequest,
    weigh: Weigh,
  ): AsyncGenerator<readonly RecordedEvent[]> {
    const stream = sessionStream(session);
    let [place, left, chars] = [after, FIRST_EVENTS, 0];
    for await (const page of this.log.readStream(stream, { after, limit: FIRST_EVENTS })) {
      yield page;
      left -= page.length;
      place = page.at(-1)!.revision;
      chars += charsOf(page);
    }
    if (left > 0) return;
    if (chars > WRITE_CHARS) await weigh(LOG_PAGE_BYTES);
    for await (const page of this.log.readStream(stream, { after: place })) {
      yield page;
      chars += charsOf(page);
      if (chars > WRITE_CHARS) await weigh(LOG_PAGE_BYTES);
    }
  }

  /** What one write can take of the events from a place on. A promise where content has to be fetched from the file store. */
  private frameOf(
    events: readonly RecordedEvent[],
    from: number,
    request: StreamRequest,
  ): Frame | Promise<Frame> {
    let text = '';
    for (let i = from; i < events.length; i++) {
      const event = events[i]!;
      if (isGone(event)) return { text, next: i + 1, isLast: true };
      if (!isWanted(event, request)) continue;
      const isLast = request.run !== undefined && isEndType(event.type);
      const json = publicJson(event, request.session, this.contents);
      if (typeof json !== 'string')
        return json.then((fetched) => ({ text: text + sse(event, fetched), next: i + 1, isLast }));
      text += sse(event, json);
      if (isLast || text.length >= WRITE_CHARS) return { text, next: i + 1, isLast };
    }
    return { text, next: events.length, isLast: false };
  }
}

/** Of a batch's events: the text of some, where to go on, and whether it is the last of the answer. */
interface Frame {
  readonly text: string;
  readonly next: number;
  readonly isLast: boolean;
}

const NOTHING_SENT: Frame = { text: '', next: 0, isLast: false };

const charsOf = (events: readonly RecordedEvent[]): number =>
  events.reduce((sum, { json }) => sum + json.length, 0);

const sse = (event: RecordedEvent, json: string): string => `id: ${event.revision}\ndata: ${json}\n\n`;

const isGone = (event: RecordedEvent): boolean => event.isErased === true || event.type === 'session_erased';

const isWanted = (event: RecordedEvent, { run }: StreamRequest): boolean =>
  (run === undefined || event.meta.run === run) && isPublicType(event.type);
