import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#domain';
import { noQuery } from '../../edge/validation/queries.js';
import { Open } from '../../edge/admission/needs-scope.js';
import { describeService } from './describe-service.js';
import { DOCS_FILES, DOCS_PAGE, DOCS_POLICY } from './docs-page.js';
import { programVersion } from '../../version.js';

/** The description of the interface, and a page on which it can be tried. Owns its text, made at the first request. */
@Controller()
export class OpenApiController {
  private text: string | null = null;

  @Get('openapi.json')
  @Open()
  description(@Query() query: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    noQuery(query);
    this.text ??= JSON.stringify(describeService(request.server.routeBook, programVersion()));
    reply.header('content-type', 'application/json; charset=utf-8').send(this.text);
  }

  @Get('docs')
  @Open()
  page(@Query() query: unknown, @Res() reply: FastifyReply): void {
    noQuery(query);
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', DOCS_POLICY)
      .header('referrer-policy', 'no-referrer')
      .send(DOCS_PAGE);
  }

  @Get('docs/:file')
  @Open()
  async file(
    @Param('file') name: string,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    noQuery(query);
    const file = DOCS_FILES.get(name);
    if (file === undefined) throw notFound('the file');
    const bytes = await file.read();
    reply.header('content-type', file.type).header('cache-control', 'public, max-age=3600').send(bytes);
  }
}
