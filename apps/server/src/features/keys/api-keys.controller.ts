import { Body, Controller, Delete, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiKeys, type Principal } from '#access';
import { NewApiKeyDto, newKeyOf } from './api-key.dto.js';
import { PageQuery } from '../../edge/validation/query-dtos.js';
import { RevokeQuery } from './revoke-query.js';
import { Caller } from '../../edge/admission/caller.js';
import { issuedKeyView, keyView } from './key-views.js';
import { KeyEnd } from './key-end.js';
import { pageOf } from '../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { API_KEY, NEW_KEY } from './key-schemas.js';

@Controller('api-keys')
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly keyEnd: KeyEnd,
  ) {}

  @Post()
  @Operation({
    id: 'createApiKey',
    tag: 'keys',
    summary: 'A new key, shown once',
    scope: 'admin',
    body: NewApiKeyDto,
    examples: { reader: { summary: 'May run and read', value: { name: 'web', scopes: ['run', 'read'] } } },
    answerHeaders: ['Location'],
    answers: answer(201, NEW_KEY),
  })
  async issue(
    @Caller() caller: Principal,
    @Body() body: NewApiKeyDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const issued = issuedKeyView(await this.keys.issue(caller, newKeyOf(body)));
    reply.header('location', `/api-keys/${issued.id}`);
    return issued;
  }

  @Get()
  @Operation({
    id: 'listApiKeys',
    tag: 'keys',
    summary: 'Keys',
    scope: 'admin',
    query: PageQuery,
    answers: answer(200, pageOf(API_KEY)),
  })
  async list(@Caller() caller: Principal, @Query() { limit, cursor }: PageQuery): Promise<object> {
    const { items, next_cursor } = this.keys.list(caller, limit, cursor);
    const used = await this.keys.lastUses(items.map(({ id }) => id));
    const shown = items.map((record) => keyView(record, used.get(record.id) ?? null));
    return { items: shown, next_cursor };
  }

  @Delete(':id')
  @Operation({
    id: 'deleteApiKey',
    tag: 'keys',
    summary: 'Revokes a key: its open streams end, its tasks are paused (`tasks=keep`: they go on)',
    scope: 'admin',
    query: RevokeQuery,
    answers: { 204: null },
  })
  async revoke(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() { tasks }: RevokeQuery,
  ): Promise<void> {
    await this.keys.revoke(caller, id, { keepsTasks: tasks === 'keep' });
    await this.keyEnd.ended(id, caller.keyId);
  }
}
