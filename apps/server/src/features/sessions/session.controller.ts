import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '#access';
import { type SessionId } from '#domain';
import { ForkSession } from '#runs';
import { Caller } from '../../edge/admission/caller.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { idempotencyKeyOf } from '../../edge/validation/idempotency-key.js';
import { MomentQuery } from '../../edge/validation/query-dtos.js';
import { AS_OF } from '../runs/shared/as-of.js';
import { ForkDto } from './fork.dto.js';
import { SessionAnswers } from './session-answers.js';
import { CONTEXT, SESSION } from './session-schemas.js';

/** One session, as it is or as it was. */
@Controller('sessions/:session')
export class SessionController {
  constructor(
    private readonly answers: SessionAnswers,
    private readonly forks: ForkSession,
  ) {}

  @Get()
  @Operation({
    id: 'getSession',
    tag: 'sessions',
    summary: 'One session',
    description: AS_OF,
    scope: 'read',
    isForTokens: true,
    query: MomentQuery,
    answers: answer(200, SESSION),
    refusals: [404, 422],
  })
  one(
    @Param('session') session: SessionId,
    @Query() { at }: MomentQuery,
    @Caller() { project }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answers.session(project, { session, at }, reply);
  }

  @Post('fork')
  @Operation({
    id: 'forkSession',
    tag: 'sessions',
    summary: 'A new session that goes on from an event of this one',
    description:
      'It reads like this one as of the event, history and context, followed by what is its own. Nothing is copied: what is ' +
      'shared goes when this one is erased.',
    scope: 'run',
    body: ForkDto,
    examples: { now: { summary: 'As it is, under a name', value: { title: 'Another way' } } },
    headers: ['Idempotency-Key'],
    answerHeaders: ['Location'],
    answers: answer(201, SESSION),
    refusals: [404, 422],
  })
  async fork(
    @Param('session') session: SessionId,
    @Body() { at, title }: ForkDto,
    @Caller() { project, keyId: actor }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = idempotencyKeyOf(request);
    const wish = {
      session,
      ...(at === undefined ? {} : { at: Math.min(Number(at), Number.MAX_SAFE_INTEGER) }),
      ...(title === undefined ? {} : { title }),
      ...(key === undefined ? {} : { idempotency: { key, payload: { session, body: request.body ?? {} } } }),
    };
    const fork = await this.forks.fork(wish, { project, actor });
    reply.header('location', `/sessions/${fork}`);
    return this.answers.opened(project, fork, reply);
  }

  @Get('context')
  @Operation({
    id: 'getContext',
    tag: 'sessions',
    summary: 'What a run of the session would be told',
    description:
      'The messages that the model of a run that starts there is sent behind the system message, as Chat Completions ' +
      `takes them. Of a run under way: its message, what steered it, and the steps that it has closed. ${AS_OF}`,
    scope: 'read',
    isForTokens: true,
    query: MomentQuery,
    answers: answer(200, CONTEXT),
    refusals: [404, 422],
  })
  context(
    @Param('session') session: SessionId,
    @Query() { at }: MomentQuery,
    @Caller() { project }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answers.context(project, { session, at }, reply);
  }
}
