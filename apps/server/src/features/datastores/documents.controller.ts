import type { Readable } from 'node:stream';
import { Controller, Delete, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#domain';
import { UploadStore } from '#vault';
import { Documents, IndexDocumentHandler } from '#knowledge';
import type { Principal } from '#access';
import { idempotencyKeyOf } from '../../edge/validation/idempotency-key.js';
import { Caller } from '../../edge/admission/caller.js';
import { authorOf } from './author.js';
import { receiveUpload } from './upload.js';
import { documentView, uploadView } from './views.js';
import { objectOf } from '../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { LENGTHS } from '../../edge/validation/lengths.js';
import { DOCUMENT, UPLOADED_DOCUMENT } from './datastore-schemas.js';

const UPLOAD = {
  ...objectOf({
    file: {
      type: 'string',
      // The older word for it, which generators of clients know.
      format: 'binary',
      contentMediaType: 'application/octet-stream',
      description: 'Up to MAX_UPLOAD_MB; its name has at most 255 bytes.',
    },
    datastore_id: {
      type: 'string',
      minLength: 1,
      maxLength: LENGTHS.name,
      description: 'The datastore that it goes into.',
    },
  }),
  additionalProperties: false,
};

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
  @Operation({
    id: 'indexDocument',
    tag: 'datastores',
    summary: 'Adds a document',
    description: 'PDF, text, Markdown, HTML, CSV, JSON, Office files and images; scans are read by OCR.',
    scope: 'datastores',
    form: UPLOAD,
    headers: ['Idempotency-Key'],
    answerHeaders: ['Location'],
    answers: answer(201, UPLOADED_DOCUMENT),
    refusals: [404, 409, 422],
  })
  async index(
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
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
  @Operation({
    id: 'getDocument',
    tag: 'datastores',
    summary: 'One document',
    scope: 'read',
    answers: answer(200, DOCUMENT),
  })
  async get(@Param('id') id: string, @Caller() { project }: Principal) {
    return documentView(await this.documents.require(project, id));
  }

  @Delete('documents/:id')
  @Operation({
    id: 'deleteDocument',
    tag: 'datastores',
    summary: 'Deletes a document',
    scope: 'datastores',
    answers: { 204: null },
  })
  async delete(
    @Param('id') id: string,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.documents.delete(id, authorOf(caller, request));
  }
}
