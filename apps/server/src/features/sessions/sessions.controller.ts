import { Controller, Delete, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type SessionId } from '#domain';
import { SessionQueries } from '#read-models';
import { EraseSession, Sessions } from '#runs';
import { type Principal } from '#access';
import { EventsQuery } from '../runs/shared/events-query.js';
import { Caller } from '../../edge/admission/caller.js';
import { EventAnswers } from '../runs/shared/event-answers.js';
import { pageOf } from '../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { FROM_ANY_POINT, RECORDED } from '../runs/shared/event-schemas.js';
import { EraseQuery } from './fork.dto.js';
import { SessionsQuery } from './sessions-query.js';
import { ERASED_SESSION, SESSION } from './session-schemas.js';

/** How long what an erasure does not reach at once may be kept. */
export class ErasureLimits {
  constructor(readonly keyBackupDays: number) {}
}

@Controller('sessions')
export class SessionsController {
  constructor(
    private readonly list: SessionQueries,
    private readonly sessions: Sessions,
    private readonly events: EventAnswers,
    private readonly eraseSession: EraseSession,
    private readonly limits: ErasureLimits,
  ) {}

  @Get()
  @Operation({
    id: 'listSessions',
    tag: 'sessions',
    summary: 'Sessions, newest first',
    scope: 'read',
    description:
      '`status` is that of the run that was requested last; `from` and `to` say when the session was opened.',
    query: SessionsQuery,
    answers: answer(200, pageOf(SESSION)),
  })
  all(@Query() { limit, cursor, status, from, to }: SessionsQuery, @Caller() { project }: Principal) {
    return this.list.list({ project, limit, cursor, status, from, to });
  }

  /** For good, and at once; what stays is that it existed. */
  @Delete(':session')
  @Operation({
    id: 'eraseSession',
    tag: 'sessions',
    summary: 'Erases a session for good',
    description:
      'Its runs and tasks end, and what was said in it can be read by nobody any more. `not_reached` says where copies ' +
      'may be that the service does not hold. Afterwards everything of the session answers 404. Its forks lose what they ' +
      'share with it.',
    scope: 'admin',
    query: EraseQuery,
    answers: answer(200, ERASED_SESSION),
  })
  async erase(
    @Param('session') id: string,
    @Query() { forks: withForks }: EraseQuery,
    @Caller() { project, keyId: actor }: Principal,
  ): Promise<object> {
    const erased = await this.eraseSession.erase(id, { project, actor }, withForks);
    const { session, erasedAt, events, forks } = erased;
    await this.list.caughtUp();
    const { keyBackupDays } = this.limits;
    return {
      session,
      erased_at: new Date(erasedAt).toISOString(),
      events,
      forks,
      not_reached: [
        'what receivers of callbacks were sent',
        'records that were published to Kafka',
        `backups of the key store, which may be kept for ${keyBackupDays} days at most`,
      ],
    };
  }

  @Get(':session/events')
  @Operation({
    id: 'followSession',
    tag: 'sessions',
    summary: "The events of all of a session's runs",
    description: FROM_ANY_POINT,
    scope: 'read',
    isForTokens: true,
    query: EventsQuery,
    headers: ['Last-Event-ID'],
    answers: { 200: RECORDED },
  })
  async follow(
    @Param('session') session: SessionId,
    @Query() terms: EventsQuery,
    @Caller() { project }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.require(project, session);
    return this.events.answer({ session, before: -1, lastId: null }, terms, request, reply);
  }
}
