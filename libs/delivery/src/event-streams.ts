import { isEndType, isPublicType, sessionStream } from '#domain';
import { type ContentStore, type EventLog, type RecordedEvent, isErasure } from '#event-log';
import type { ClientSink } from './client-sink.js';
import { publicJson } from './public-json.js';

export interface StreamRequest {
  readonly session: string;
  /** Only the events of this run, and no further than its end; absent: the session's, for as long as the client stays. */
  readonly run?: string;
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

/** Sends what stands on the log, from any point on, then what comes. The log is the buffer: nothing is kept per client. */
export class EventStreams {
  constructor(
    private readonly log: EventLog,
    private readonly contents: ContentStore,
  ) {}

  /** Resolves when the run's last event is on its way, or the client is gone. @throws LogUnavailable */
  async send(request: StreamRequest, sink: ClientSink): Promise<void> {
    const options = { after: request.after, signal: sink.gone };
    let last: string | null = null;
    try {
      for await (const events of this.log.subscribeStream(sessionStream(request.session), options)) {
        last = await this.sendBatch(events, request, sink);
        if (last !== null) break;
      }
    } catch (error) {
      // Erased while it was sent: a file of what was read before is gone.
      if (!isErasure(error)) throw error;
    }
    sink.end(last ?? '');
  }

  /** The last revision of a session's stream. @throws LogUnavailable */
  async head(session: string): Promise<number> {
    for await (const [last] of this.log.readStream(sessionStream(session), { backwards: true, limit: 1 })) {
      if (last) return last.revision;
    }
    return -1;
  }

  /** A page of recorded events after a revision, and whether there may be more. */
  async page(
    request: StreamRequest,
    limit: number,
  ): Promise<{ items: RecordedPublicEvent[]; hasMore: boolean }> {
    try {
      return await this.read(request, limit);
    } catch (error) {
      if (!isErasure(error)) throw error;
      return { items: [], hasMore: false };
    }
  }

  private async read(
    request: StreamRequest,
    limit: number,
  ): Promise<{ items: RecordedPublicEvent[]; hasMore: boolean }> {
    const items: RecordedPublicEvent[] = [];
    for await (const events of this.log.readStream(sessionStream(request.session), {
      after: request.after,
    })) {
      for (const event of events) {
        if (isGone(event)) return { items, hasMore: false };
        if (!isWanted(event, request)) continue;
        if (items.length === limit) return { items, hasMore: true };
        items.push({ id: event.revision, json: await publicJson(event, request.session, this.contents) });
        if (request.run !== undefined && isEndType(event.type)) return { items, hasMore: false };
      }
    }
    return { items, hasMore: false };
  }

  /** What is left to be sent if the run's end was among them, or that of the session; null: more is to come. */
  private async sendBatch(
    events: readonly RecordedEvent[],
    request: StreamRequest,
    sink: ClientSink,
  ): Promise<string | null> {
    let text = '';
    for (const event of events) {
      if (isGone(event)) return text;
      if (!isWanted(event, request)) continue;
      const json = publicJson(event, request.session, this.contents);
      text += `id: ${event.revision}\ndata: ${typeof json === 'string' ? json : await json}\n\n`;
      if (request.run !== undefined && isEndType(event.type)) return text;
      if (text.length < WRITE_CHARS) continue;
      await sink.write(text);
      text = '';
    }
    if (text !== '') await sink.write(text);
    return null;
  }
}

const isGone = (event: RecordedEvent): boolean => event.isErased === true || event.type === 'session_erased';

const isWanted = (event: RecordedEvent, { run }: StreamRequest): boolean =>
  (run === undefined || event.meta.run === run) && isPublicType(event.type);
