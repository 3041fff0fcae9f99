import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventStreams, type StreamRequest } from '#delivery';
import { invalid } from '#domain';
import { parseLastEventId } from '../dto/query.js';
import { wantsJson } from './negotiation.js';
import { RunAnswers } from './run-answers.js';

/** Whose events are asked for, and what is known of where they stand. */
export interface EventsPlace {
  readonly session: string;
  readonly run?: string;
  /** Revision before the first of them. */
  readonly before: number;
  /** Id of the last one there will ever be; null: more may come. */
  readonly lastId: number | null;
}

interface EventsTerms {
  readonly after: number | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Answers with recorded events: a page of them as JSON, or all of them and what comes as SSE. */
export class EventAnswers {
  constructor(
    private readonly streams: EventStreams,
    private readonly answers: RunAnswers,
  ) {}

  async answer(
    place: EventsPlace,
    terms: EventsTerms,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const from = afterOf(terms, request);
    const { session, run, lastId } = place;
    const asked = Math.max(place.before, from ?? place.before);
    // Who asks for what comes after more than there is would wait for ever for the end of the run.
    const after = asked === place.before ? asked : Math.min(asked, await this.streams.head(session));
    const wanted = { session, ...(run === undefined ? {} : { run }), after };
    if (wantsJson(request.headers.accept)) return this.sendPage(wanted, terms.limit, reply);
    if (lastId !== null && after >= lastId) return void reply.code(204).send();
    void this.answers.stream(reply, wanted);
  }

  /** The events' JSON is what the log holds, so the page is put together as text. */
  private async sendPage(wanted: StreamRequest, limit: number, reply: FastifyReply): Promise<void> {
    const { items, hasMore } = await this.streams.page(wanted, limit);
    const last = items.at(-1);
    const cursor = hasMore && last ? `"${last.id}"` : 'null';
    const page = `{"items":[${items.map((i) => `{"id":"${i.id}","data":${i.json}}`).join(',')}],"next_cursor":${cursor}}`;
    reply.code(200).header('content-type', 'application/json; charset=utf-8').send(page);
  }
}

/** `Last-Event-ID` is what a reconnecting EventSource sends, so it counts more than the URL that it was opened with. */
function afterOf({ after, cursor }: EventsTerms, request: FastifyRequest): number | undefined {
  const header = parseLastEventId(request.headers['last-event-id']);
  if (cursor === undefined) return header ?? after;
  if (!/^\d{1,15}$/.test(cursor)) throw invalid('cursor', 'is not a cursor of this list');
  return Number(cursor);
}
