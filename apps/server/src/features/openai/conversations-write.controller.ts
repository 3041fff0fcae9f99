import { Controller, Delete, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import { parseAddedItems, parseConversationUpdate, parseNewConversation, refused } from '#openai-face';
import { ConversationCommands } from '#runs';
import { Caller } from '../../edge/admission/caller.js';
import { Operation } from '../../edge/routes/operation.js';
import { idempotencyKeyOf } from '../../edge/validation/idempotency-key.js';
import { AddedItems } from './asking/added-items.js';
import { GivenItems } from './asking/given-items.js';
import { payloadOf } from './asking/payload.js';
import { ConversationSurroundings } from './conversation-surroundings.js';
import { foreign } from './foreign.js';
import { queryOf } from './query.js';
import { ConversationReading } from './reading/conversation-reading.js';

/** Conversations that somebody makes, changes and deletes. */
@Controller('v1/conversations')
export class ConversationsWriteController {
  constructor(
    private readonly conversations: ConversationReading,
    private readonly commands: ConversationCommands,
    private readonly items: GivenItems,
    private readonly added: AddedItems,
    private readonly around: ConversationSurroundings,
  ) {}

  @Post()
  @Operation(foreign('createConversation', 'run', true))
  async create(
    @Caller() { project, keyId: actor }: Principal,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    queryOf(request.query);
    const { items, metadata } = parseNewConversation(request.body);
    const given = await this.items.of(project, items);
    const key = idempotencyKeyOf(request);
    const idempotency =
      key === undefined ? {} : { idempotency: { key, payload: payloadOf(request.body ?? {}) } };
    const session = await this.commands.open({ items: given, metadata, ...idempotency }, { project, actor });
    return this.conversations.object(session);
  }

  @Post(':conversation')
  @Operation(foreign('updateConversation', 'run', true))
  async update(
    @Param('conversation') id: string,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    queryOf(request.query);
    const asked = parseConversationUpdate(request.body);
    const session = await this.conversations.find(caller.project, id);
    const metadata = await this.around.metadata.set(session, asked, caller, request);
    return { ...(await this.conversations.object(session)), metadata };
  }

  @Post(':conversation/items')
  @Operation(foreign('createConversationItems', 'run', true))
  async addItems(
    @Param('conversation') id: string,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    queryOf(request.query, 'include');
    const asked = parseAddedItems(request.body);
    const session = await this.conversations.find(caller.project, id);
    const list = await this.added.add(session, asked, caller, request);
    await this.around.large.send(reply, caller.project, async function* () {
      yield JSON.stringify(list);
      await Promise.resolve();
    });
  }

  @Delete(':conversation')
  @Operation(foreign('deleteConversation', 'admin'))
  async delete(
    @Param('conversation') id: string,
    @Caller() { project, keyId: actor }: Principal,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    queryOf(request.query);
    const session = await this.conversations.find(project, id);
    await this.around.erasure.erase(session, { project, actor });
    return { id, object: 'conversation.deleted', deleted: true };
  }

  @Delete(':conversation/items/:item')
  @Operation(foreign('deleteConversationItem', 'admin'))
  deleteItem(): never {
    const what = 'DELETE /v1/conversations/{id}/items/{item}';
    throw refused('unsupported', null, `${what} is not supported: POST /clear-messages empties a session`);
  }
}
