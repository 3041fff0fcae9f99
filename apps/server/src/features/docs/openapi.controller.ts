import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#domain';
import { describeService } from './describe-service.js';
import { DOCS_FILES, DOCS_PAGE, DOCS_POLICY } from './docs-page.js';
import { programVersion } from '../../version.js';
import { TEXT } from '../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../edge/routes/operation.js';

/** The description of the interface, and a page on which it can be tried. Owns its text, made at the first request. */
@Controller()
export class OpenApiController {
  private text: string | null = null;

  @Get('openapi.json')
  @Operation({
    id: 'openapi',
    tag: 'operations',
    summary: 'This description',
    scope: null,
    answers: answer(200, { type: 'object' }),
  })
  description(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.text ??= JSON.stringify(describeService(request.server.routeBook, programVersion()));
    reply.header('content-type', 'application/json; charset=utf-8').send(this.text);
  }

  @Get('docs')
  @Operation({
    id: 'docs',
    tag: 'operations',
    summary: 'This description as a page on which it can be tried',
    scope: null,
    answers: { 200: { 'text/html': TEXT } },
  })
  page(@Res() reply: FastifyReply): void {
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', DOCS_POLICY)
      .header('referrer-policy', 'no-referrer')
      .send(DOCS_PAGE);
  }

  @Get('docs/:file')
  @Operation({
    id: 'docsFile',
    tag: 'operations',
    summary: 'What the page is made of',
    scope: null,
    answers: { 200: { 'text/css': TEXT, 'text/javascript': TEXT } },
  })
  async file(@Param('file') name: string, @Res() reply: FastifyReply): Promise<void> {
    const file = DOCS_FILES.get(name);
    if (file === undefined) throw notFound('the file');
    const bytes = await file.read();
    reply.header('content-type', file.type).header('cache-control', 'public, max-age=3600').send(bytes);
  }
}
