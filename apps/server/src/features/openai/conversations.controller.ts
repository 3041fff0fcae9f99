import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import { notFound } from '#domain';
import { Caller } from '../../edge/admission/caller.js';
import { LargeAnswers } from '../../edge/answers/large-answer.js';
import { Operation } from '../../edge/routes/operation.js';
import { foreign } from './foreign.js';
import { listTermsOf, pageOf, queryOf } from './query.js';
import { ConversationReading } from './reading/conversation-reading.js';

/** Sessions, as conversations. */
@Controller('v1/conversations')
export class ConversationsController {
  constructor(
    private readonly conversations: ConversationReading,
    private readonly large: LargeAnswers,
  ) {}

  @Get(':conversation')
  @Operation(foreign('getConversation', 'read'))
  async one(
    @Param('conversation') id: string,
    @Caller() { project }: Principal,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    queryOf(request.query);
    return this.conversations.object(await this.conversations.find(project, id));
  }

  @Get(':conversation/items')
  @Operation(foreign('listConversationItems', 'read'))
  async items(
    @Param('conversation') id: string,
    @Caller() { project }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const terms = listTermsOf(request.query);
    const { conversations } = this;
    const session = await conversations.find(project, id);
    await this.large.send(reply, project, async function* (weigh) {
      yield JSON.stringify(pageOf(await conversations.items(session, weigh), terms));
    });
  }

  @Get(':conversation/items/:item')
  @Operation(foreign('getConversationItem', 'read'))
  async item(
    @Param('conversation') id: string,
    @Param('item') item: string,
    @Caller() { project }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    queryOf(request.query, 'include');
    const { conversations } = this;
    const session = await conversations.find(project, id);
    await this.large.send(reply, project, async function* (weigh) {
      const found = (await conversations.items(session, weigh)).find((one) => one.id === item);
      if (found === undefined) throw notFound('the item');
      yield JSON.stringify(found);
    });
  }
}
