import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Datastores, Documents, Search, requireDocuments } from '#knowledge';
import type { Principal } from '#access';
import { parseNewDatastore, parseSearch } from './datastore.dto.js';
import { idempotencyKeyOf } from '../../edge/validation/idempotency-key.js';
import { noQuery, pageQuery } from '../../edge/validation/queries.js';
import { Caller } from '../../edge/admission/caller.js';
import { NeedsScope } from '../../edge/admission/needs-scope.js';
import { authorOf } from './author.js';
import { datastoreView, documentView, searchItemView } from './views.js';

@Controller()
export class DatastoresController {
  constructor(
    private readonly datastores: Datastores,
    private readonly documents: Documents,
    private readonly search: Search,
  ) {}

  @Post('create-datastore')
  @HttpCode(201)
  @NeedsScope('datastores', { takesBody: true })
  async create(
    @Body() body: unknown,
    @Query() query: unknown,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    noQuery(query);
    const asked = parseNewDatastore(body);
    const key = idempotencyKeyOf(request);
    const datastore = await this.datastores.create(asked, authorOf(caller, request), key);
    const view = datastoreView(datastore);
    reply.header('location', `/datastores/${view.datastore_id}`);
    return view;
  }

  @Get('datastores')
  @NeedsScope('read')
  async list(@Query() query: unknown, @Caller() { project }: Principal): Promise<object> {
    const { items, next_cursor } = await this.datastores.list(project, pageQuery(query));
    return { items: items.map(datastoreView), next_cursor };
  }

  @Get('datastores/:id')
  @NeedsScope('read')
  async get(@Param('id') id: string, @Query() query: unknown, @Caller() { project }: Principal) {
    noQuery(query);
    return datastoreView(await this.datastores.require(project, id));
  }

  @Delete('datastores/:id')
  @HttpCode(204)
  @NeedsScope('datastores')
  async delete(
    @Param('id') id: string,
    @Query() query: unknown,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    noQuery(query);
    await this.datastores.delete(id, authorOf(caller, request));
  }

  @Get('datastores/:id/documents')
  @NeedsScope('read')
  async documentsOf(@Param('id') id: string, @Query() query: unknown, @Caller() { project }: Principal) {
    const { items, next_cursor } = await this.documents.list(project, id, pageQuery(query));
    return { items: items.map(documentView), next_cursor };
  }

  @Post('datastores/:id/search')
  @HttpCode(200)
  @NeedsScope('datastores', { takesBody: true })
  async find(
    @Param('id') id: string,
    @Body() body: unknown,
    @Query() raw: unknown,
    @Caller() { project }: Principal,
  ): Promise<object> {
    noQuery(raw);
    const { query, limit } = parseSearch(body);
    requireDocuments(await this.datastores.require(project, id));
    const items = await this.search.search(id, query, limit);
    return { items: items.map(searchItemView), next_cursor: null };
  }
}
