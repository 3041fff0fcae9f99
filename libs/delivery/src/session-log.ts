import { type Content, type Revision, type RunId, type SessionId, isFileRef, sessionStream } from '#domain';
import {
  ContentErased,
  type ContentKeys,
  type EventLog,
  type RecordedEvent,
  type ReadOptions,
  isErasure,
  lastRevisionOf,
} from '#event-log';
import { type Weigh, unweighed } from '#platform';
import type { ContentStore } from '#vault';
import type { ClientSink } from './client-sink.js';
import { onOneLine } from './public-json.js';
import { SessionPages, lineFieldsOf } from './session-pages.js';

export interface SessionLogRequest {
  readonly session: SessionId;
  /** Only the events of this run; absent: all. */
  readonly run?: RunId;
  /** Exclusive. */
  readonly after: Revision;
  /** Longest text that is given whole, in UTF-16 units. */
  readonly inline: number;
}

/** An event as it stands. */
export interface LogLine {
  readonly id: Revision;
  /** JSON text on one line. */
  readonly json: string;
}

/** What is gathered into one write. */
const WRITE_CHARS = 64 * 1024;
/** What a page of the log brings into memory, for Weigh. */
const LOG_PAGE_BYTES = 1024 * 1024;
/** Of a text that is not given whole. */
const HEAD_CHARS = 512;

/**
 * All events of a session as they stand on the log, the internal ones too, each with what is needed to check it: see
 * docs/log-format.md. Made from the stored bytes at each reading: nothing is kept.
 */
export class SessionLog {
  private readonly read: SessionPages;

  constructor(
    private readonly log: EventLog,
    keys: ContentKeys,
    private readonly contents: ContentStore,
  ) {
    this.read = new SessionPages(log, keys);
  }

  /** The last revision of the session; -1: it has no event. @throws LogUnavailable */
  head(session: SessionId): Promise<Revision> {
    return lastRevisionOf(this.log, sessionStream(session));
  }

  /** Sends them as SSE, then those that come. Resolves when the client is gone, or the session erased. @throws LogUnavailable */
  async send(request: SessionLogRequest, sink: ClientSink): Promise<void> {
    const stream = sessionStream(request.session);
    let after = request.after;
    try {
      // What stands there first: the live feed tells that there is more, and has no proofs.
      after = await this.sendAfter({ ...request, after }, sink);
      for await (const heard of this.log.subscribeStream(stream, { after, signal: sink.gone })) {
        if (heard.at(-1)!.revision > after) after = await this.sendAfter({ ...request, after }, sink);
      }
    } catch (error) {
      if (!isErasure(error)) throw error;
    }
    sink.end('');
  }

  /** Those that are recorded, up to a number of them; returns whether there may be more. @throws LogUnavailable */
  async *lines(
    request: SessionLogRequest,
    limit: number,
    weigh: Weigh = unweighed,
  ): AsyncGenerator<LogLine, boolean> {
    let count = 0;
    await weigh(LOG_PAGE_BYTES);
    try {
      for await (const events of this.pages(request.session, { after: request.after })) {
        for (const event of events) {
          if (!isWanted(event, request)) continue;
          if (count++ === limit) return true;
          yield { id: event.revision, json: this.lineOf(event, request.inline) };
        }
      }
    } catch (error) {
      // Erased while it was read: what comes behind is gone.
      if (!isErasure(error)) throw error;
    }
    return false;
  }

  /** One event, its text whole, and what was said in it; null: there is none. @throws LogUnavailable */
  async one(session: SessionId, revision: Revision): Promise<string | null> {
    for await (const [event] of this.pages(session, { after: revision - 1, limit: 1 })) {
      if (event?.revision !== revision) return null;
      const line = this.lineOf(event, Infinity);
      const said = await this.contentOf(session, event);
      return `${line.slice(0, -1)},"content":${JSON.stringify(said)}}`;
    }
    return null;
  }

  /** Returns the last revision that was seen. */
  private async sendAfter(request: SessionLogRequest, sink: ClientSink): Promise<Revision> {
    let { after } = request;
    for await (const events of this.pages(request.session, { after })) {
      let text = '';
      for (const event of events) {
        after = event.revision;
        if (!isWanted(event, request)) continue;
        text += `id: ${event.revision}\ndata: ${this.lineOf(event, request.inline)}\n\n`;
        if (text.length < WRITE_CHARS) continue;
        await sink.write(text);
        text = '';
      }
      if (text !== '') await sink.write(text);
      if (sink.gone.aborted) break;
    }
    return after;
  }

  /** @throws ContentErased */
  private async *pages(session: SessionId, options: ReadOptions): AsyncGenerator<readonly RecordedEvent[]> {
    for await (const events of this.read.read(session, options)) {
      if (events.some((event) => event.isErased === true || event.type === 'session_erased'))
        throw new ContentErased('the session is erased');
      yield events;
    }
  }

  /** The fields of an export's event line, in its order. */
  private lineOf(event: RecordedEvent, inline: number): string {
    return onOneLine(JSON.stringify({ ...lineFieldsOf(event), ...this.textOf(event, inline) }));
  }

  /** Nothing of what does not open. */
  private textOf(event: RecordedEvent, inline: number): object {
    const { json } = event;
    if (json === '') return {};
    if (json.length > inline) return { bytes: Buffer.byteLength(json), head: json.slice(0, HEAD_CHARS) };
    const salt = this.read.saltOf(event);
    return salt === null ? {} : { salt, text: json };
  }

  /** Its content, wherever it lies; null: it has none. */
  private async contentOf(session: SessionId, event: RecordedEvent): Promise<string | null> {
    if (event.json === '') return null;
    const data = event.data as Readonly<Record<string, Content | undefined>>;
    const said = CONTENT_FIELDS.map((field) => data[field]).find(isContent);
    return said === undefined ? null : this.contents.textOrNote(session, said);
  }
}

/**
 * Where an event has its content: an event has one of these at most, but a request, whose message it is then. What is meant
 * for a model's or a tool's server alone (`provider`, `state`) is none.
 */
const CONTENT_FIELDS = ['content', 'message', 'tools', 'text', 'output', 'settings', 'metadata'] as const;

const isContent = (value: unknown): value is Content =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && isFileRef(value));

const isWanted = ({ meta }: RecordedEvent, { run }: SessionLogRequest): boolean =>
  run === undefined || meta.run === run;
