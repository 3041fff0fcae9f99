import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '#access';
import { SessionLog } from '#delivery';
import { type SessionId, notFound } from '#domain';
import { Sessions } from '#runs';
import { Caller } from '../../../edge/admission/caller.js';
import { answerWithEvents } from '../../../edge/answers/event-stream.js';
import { LargeAnswers } from '../../../edge/answers/large-answer.js';
import { OpenStreams } from '../../../edge/answers/socket-sink.js';
import { Operation, answer } from '../../../edge/routes/operation.js';
import { afterOf } from '../../runs/shared/events-query.js';
import { wantsJson } from '../../runs/shared/negotiation.js';
import { recordedPage } from '../../runs/shared/recorded-page.js';
import { LogQuery } from './log-query.js';
import { LOG, LOG_EVENT } from './log-schemas.js';

/** What an event brings into memory at most: its content may lie in a file. */
const EVENT_BYTES = 512 * 1024;

/** A session's own part of the log, event by event, as it stands. */
@Controller('sessions/:session/log')
export class SessionLogController {
  constructor(
    private readonly sessions: Sessions,
    private readonly log: SessionLog,
    private readonly open: OpenStreams,
    private readonly large: LargeAnswers,
  ) {}

  @Get()
  @Operation({
    id: 'followLog',
    tag: 'sessions',
    summary: 'All events of a session, the internal ones too, as they stand on the log',
    description:
      'Server-Sent Events from after `Last-Event-ID` or `after`, then live; with `Accept: application/json` a page of the ' +
      'recorded ones. The header `annals-head` says which event is the last now. Of a fork: its own events.',
    scope: 'read',
    isForTokens: true,
    query: LogQuery,
    headers: ['Last-Event-ID'],
    answerHeaders: ['annals-head'],
    answers: { 200: LOG },
  })
  async follow(
    @Param('session') session: SessionId,
    @Query() terms: LogQuery,
    @Caller() { project }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.require(project, session);
    const head = await this.log.head(session);
    reply.header('annals-head', head);
    // Who asks for what comes after more than there is would miss what is to come.
    const after = Math.min(afterOf(terms, request) ?? -1, head);
    const { run, inline, limit } = terms;
    const wanted = { session, ...(run === undefined ? {} : { run }), after, inline };
    if (wantsJson(request.headers.accept)) {
      reply.code(200);
      return this.large.send(reply, project, (weigh) => recordedPage(this.log.lines(wanted, limit, weigh)));
    }
    void answerWithEvents(reply, this.open, (sink) => this.log.send(wanted, sink));
  }

  @Get(':revision')
  @Operation({
    id: 'getLogEvent',
    tag: 'sessions',
    summary: 'One of them, whole',
    scope: 'read',
    isForTokens: true,
    answers: answer(200, LOG_EVENT),
  })
  async one(
    @Param('session') session: SessionId,
    @Param('revision') revision: string,
    @Caller() { project }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.require(project, session);
    const at = /^\d{1,15}$/.test(revision) ? Number(revision) : -1;
    const { log } = this;
    reply.code(200);
    await this.large.send(reply, project, async function* (weigh) {
      await weigh(EVENT_BYTES);
      const line = at < 0 ? null : await log.one(session, at);
      if (line === null) throw notFound('the event');
      yield line;
    });
  }
}
