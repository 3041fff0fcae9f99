import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Principal } from '#access';
import { type SessionId } from '#domain';
import { Caller } from '../../edge/admission/caller.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { MomentQuery } from '../../edge/validation/query-dtos.js';
import { AS_OF } from '../runs/shared/as-of.js';
import { SessionAnswers } from './session-answers.js';
import { CONTEXT, SESSION } from './session-schemas.js';

/** One session, as it is or as it was. */
@Controller('sessions/:session')
export class SessionController {
  constructor(private readonly answers: SessionAnswers) {}

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
