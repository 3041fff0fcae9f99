import { Controller, Delete, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSessionId, notFound, requireSession, type SessionId } from '#domain';
import { SessionQueries } from '#read-models';
import { EraseSession, Sessions } from '#runs';
import { type Principal } from '#access';
import { eventsQuery, noQuery, pageQuery } from '../../edge/validation/queries.js';
import { Caller } from '../../edge/admission/caller.js';
import { NeedsScope } from '../../edge/admission/needs-scope.js';
import { EventAnswers } from '../runs/shared/event-answers.js';

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
  @NeedsScope('read')
  all(@Query() query: unknown, @Caller() { project }: Principal) {
    return this.list.list({ project, ...pageQuery(query) });
  }

  @Get(':session')
  @NeedsScope('read', { isForTokens: true })
  one(@Param('session') session: SessionId, @Query() query: unknown, @Caller() { project }: Principal) {
    noQuery(query);
    // The tables are not asked for what they cannot hold, such as U+0000.
    if (!isSessionId(session)) throw notFound('the session');
    return this.list.get(project, session);
  }

  /** For good, and at once; what stays is that it existed. */
  @Delete(':session')
  @NeedsScope('admin')
  async erase(
    @Param('session') id: string,
    @Query() query: unknown,
    @Caller() { project, keyId }: Principal,
  ): Promise<object> {
    noQuery(query);
    const { session, erasedAt, events } = await this.eraseSession.erase(id, { project, actor: keyId });
    await this.list.caughtUp();
    const { keyBackupDays } = this.limits;
    return {
      session,
      erased_at: new Date(erasedAt).toISOString(),
      events,
      not_reached: [
        'what receivers of callbacks were sent',
        'records that were published to Kafka',
        `backups of the key store, which may be kept for ${keyBackupDays} days at most`,
      ],
    };
  }

  @Get(':session/events')
  @NeedsScope('read', { isStream: true, isForTokens: true })
  async follow(
    @Param('session') session: SessionId,
    @Query() query: unknown,
    @Caller() { project }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const terms = eventsQuery(query);
    requireSession((await this.sessions.get(session)).journal.state, project);
    return this.events.answer({ session, before: -1, lastId: null }, terms, request, reply);
  }
}
