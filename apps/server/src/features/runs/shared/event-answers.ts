import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventStreams, type StreamRequest } from '#delivery';
import { type RunId, type SessionId } from '#domain';
import { type EventsQuery, afterOf } from './events-query.js';
import { LargeAnswers } from '../../../edge/answers/large-answer.js';
import { wantsJson } from './negotiation.js';
import { recordedPage } from './recorded-page.js';
import { RunAnswers } from './run-answers.js';

/** Whose events are asked for, and what is known of where they stand. */
export interface EventsPlace {
  readonly session: SessionId;
  readonly run?: RunId;
  /** Revision before the first of them. */
  readonly before: number;
  /** Id of the last one there will ever be; null: more may come. */
  readonly lastId: number | null;
}

/** Answers with recorded events: a page of them as JSON, or all of them and what comes as SSE. */
@Injectable()
export class EventAnswers {
  constructor(
    private readonly streams: EventStreams,
    private readonly answers: RunAnswers,
    private readonly large: LargeAnswers,
  ) {}

  /** @param again looks the place up anew: the run may end meanwhile */
  async answer(
    place: EventsPlace,
    terms: EventsQuery,
    request: FastifyRequest,
    reply: FastifyReply,
    again: () => Promise<EventsPlace> = () => Promise.resolve(place),
  ): Promise<void> {
    const from = afterOf(terms, request);
    const { session, run } = place;
    const asked = Math.max(place.before, from ?? place.before);
    // Who asks for what comes after more than there is would wait for ever for the end of the run.
    const head = asked === place.before ? asked : await this.streams.head(session);
    const after = Math.min(asked, head);
    // Its end may be what the log ends with: then nothing more comes.
    const isAtEnd = asked > place.before && asked >= head;
    const { lastId } = isAtEnd ? await again() : place;
    const wanted = { session, ...(run === undefined ? {} : { run }), after };
    if (wantsJson(request.headers.accept)) return this.sendPage(wanted, terms.limit, reply);
    if (lastId !== null && after >= lastId) return void reply.code(204).send();
    void this.answers.stream(reply, wanted);
  }

  /** The events' JSON is what the log holds, so the page is put together as text. */
  private async sendPage(wanted: StreamRequest, limit: number, reply: FastifyReply): Promise<void> {
    reply.code(200);
    const { project } = reply.request.principal!;
    await this.large.send(reply, project, (weigh) => recordedPage(this.streams.events(wanted, limit, weigh)));
  }
}
