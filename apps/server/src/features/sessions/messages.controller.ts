import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Principal } from '#access';
import { type SessionId } from '#domain';
import { MessagePages } from '#read-models';
import { Sessions } from '#runs';
import { Caller } from '../../edge/admission/caller.js';
import { PageAnswers } from '../../edge/answers/page-answers.js';
import { pageOf } from '../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { PageQuery } from '../../edge/validation/query-dtos.js';
import { MESSAGE_ITEM } from './session-schemas.js';

/** What was said in a session, in pages. */
@Controller('sessions/:session/messages')
export class MessagesController {
  constructor(
    private readonly sessions: Sessions,
    private readonly messages: MessagePages,
    private readonly answers: PageAnswers,
  ) {}

  @Get()
  @Operation({
    id: 'listMessages',
    tag: 'sessions',
    summary: "A session's history, in pages",
    description:
      'In the order of the conversation, as `POST /get-messages` tells it, with what each tool answered.',
    scope: 'read',
    isForTokens: true,
    query: PageQuery,
    answers: answer(200, pageOf(MESSAGE_ITEM)),
  })
  async list(
    @Param('session') session: SessionId,
    @Query() { limit, cursor }: PageQuery,
    @Caller() { project }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asked = { project, session, limit, cursor };
    await this.sessions.require(project, session);
    return this.answers.list(reply, project, (weigh) => this.messages.page(asked, weigh));
  }
}
