import type { Readable } from 'node:stream';
import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#domain';
import { UploadStore } from '#vault';
import { Documents, IndexDocumentHandler } from '#knowledge';
import type { Principal } from '#access';
import { idempotencyKeyOf } from '../../edge/validation/idempotency-key.js';
import { noQuery } from '../../edge/validation/queries.js';
import { Caller } from '../../edge/admission/caller.js';
import { NeedsScope } from '../../edge/admission/needs-scope.js';
import { authorOf } from './author.js';
import { receiveUpload } from './upload.js';
import { documentView, uploadView } from './views.js';

/** What an uploaded file may weigh. */
export class UploadLimit {
  constructor(readonly maxBytes: number) {}
}

@Controller()
export class DocumentsController {
  constructor(
    private readonly documents: Documents,
    private readonly indexDocument: IndexDocumentHandler,
    private readonly uploads: UploadStore,
    private readonly limit: UploadLimit,
  ) {}

  @Post('index-document')
  @HttpCode(201)
  @NeedsScope('datastores', { takesFile: true })
  async index(
    @Query() query: unknown,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    noQuery(query);
    const key = idempotencyKeyOf(request);
    const body = request.body as Readable | undefined;
    if (body === undefined)
      throw new Problem('unsupported_media_type', 'send the file as multipart/form-data');
    const upload = await receiveUpload({ headers: request.headers, body }, this.uploads, this.limit.maxBytes);
    const by = authorOf(caller, request);
    const document = await this.indexDocument.index({ ...upload, by, ...(key === undefined ? {} : { key }) });
    const view = uploadView(document);
    reply.header('location', `/documents/${view.document_id}`);
    return view;
  }

  @Get('documents/:id')
  @NeedsScope('read')
  async get(@Param('id') id: string, @Query() query: unknown, @Caller() { project }: Principal) {
    noQuery(query);
    return documentView(await this.documents.require(project, id));
  }

  @Delete('documents/:id')
  @HttpCode(204)
  @NeedsScope('datastores')
  async delete(
    @Param('id') id: string,
    @Query() query: unknown,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    noQuery(query);
    await this.documents.delete(id, authorOf(caller, request));
  }
}
