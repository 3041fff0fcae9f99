import { Body, Controller, Delete, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Datastores, Documents, Search, requireDocuments } from '#knowledge';
import type { Principal } from '#access';
import { NewDatastoreDto, SearchDto, newDatastoreOf } from './datastore.dto.js';
import { idempotencyKeyOf } from '../../edge/validation/idempotency-key.js';
import { PageQuery } from '../../edge/validation/query-dtos.js';
import { Caller } from '../../edge/admission/caller.js';
import { authorOf } from './author.js';
import { datastoreView, documentView, searchItemView } from './views.js';
import { pageOf } from '../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { DATASTORE, DOCUMENT, SEARCH_ITEM } from './datastore-schemas.js';

@Controller()
export class DatastoresController {
  constructor(
    private readonly datastores: Datastores,
    private readonly documents: Documents,
    private readonly search: Search,
  ) {}

  @Post('create-datastore')
  @Operation({
    id: 'createDatastore',
    tag: 'datastores',
    summary: 'Creates a datastore',
    scope: 'datastores',
    body: NewDatastoreDto,
    examples: {
      documents: { summary: 'For documents', value: { name: 'Manuals', type: 'documents' } },
    },
    headers: ['Idempotency-Key'],
    answerHeaders: ['Location'],
    answers: answer(201, DATASTORE),
    // 404: the key made a datastore that has been deleted since.
    refusals: [404, 409, 422],
  })
  async create(
    @Body() body: NewDatastoreDto,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const key = idempotencyKeyOf(request);
    const datastore = await this.datastores.create(newDatastoreOf(body), authorOf(caller, request), key);
    const view = datastoreView(datastore);
    reply.header('location', `/datastores/${view.datastore_id}`);
    return view;
  }

  @Get('datastores')
  @Operation({
    id: 'listDatastores',
    tag: 'datastores',
    summary: 'Datastores, newest first',
    scope: 'read',
    query: PageQuery,
    answers: answer(200, pageOf(DATASTORE)),
  })
  async list(@Query() query: PageQuery, @Caller() { project }: Principal): Promise<object> {
    const { items, next_cursor } = await this.datastores.list(project, query);
    return { items: items.map(datastoreView), next_cursor };
  }

  @Get('datastores/:id')
  @Operation({
    id: 'getDatastore',
    tag: 'datastores',
    summary: 'One datastore',
    scope: 'read',
    answers: answer(200, DATASTORE),
  })
  async get(@Param('id') id: string, @Caller() { project }: Principal) {
    return datastoreView(await this.datastores.require(project, id));
  }

  @Delete('datastores/:id')
  @Operation({
    id: 'deleteDatastore',
    tag: 'datastores',
    summary: 'Deletes a datastore and its documents',
    scope: 'datastores',
    answers: { 204: null },
  })
  async delete(
    @Param('id') id: string,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.datastores.delete(id, authorOf(caller, request));
  }

  @Get('datastores/:id/documents')
  @Operation({
    id: 'listDocuments',
    tag: 'datastores',
    summary: "A datastore's documents, newest first",
    scope: 'read',
    query: PageQuery,
    answers: answer(200, pageOf(DOCUMENT)),
    refusals: [422],
  })
  async documentsOf(@Param('id') id: string, @Query() query: PageQuery, @Caller() { project }: Principal) {
    const { items, next_cursor } = await this.documents.list(project, id, query);
    return { items: items.map(documentView), next_cursor };
  }

  @Post('datastores/:id/search')
  @Operation({
    id: 'searchDatastore',
    tag: 'datastores',
    summary: 'The best passages for a query',
    scope: 'datastores',
    body: SearchDto,
    examples: { words: { summary: 'Words', value: { query: 'change the filter', limit: 5 } } },
    answers: answer(200, pageOf(SEARCH_ITEM)),
    refusals: [422],
  })
  async find(
    @Param('id') id: string,
    @Body() { query, limit }: SearchDto,
    @Caller() { project }: Principal,
  ): Promise<object> {
    requireDocuments(await this.datastores.require(project, id));
    const items = await this.search.search(id, query, limit);
    return { items: items.map(searchItemView), next_cursor: null };
  }
}
