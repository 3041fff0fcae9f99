import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#domain';
import { Operation, type OperationTerms } from '../../edge/routes/operation.js';
import { TEXT } from '../../edge/openapi/json-schema.js';
import { type ConsoleFile, ConsoleFiles, SHELL, VERIFIER } from './console-files.js';

const ASSETS = '/console/assets/';
const FOR_EVER = 'public, max-age=31536000, immutable';

const page = (id: string, summary: string): OperationTerms => ({
  id,
  tag: 'operations',
  summary,
  scope: null,
  ignoresQuery: true,
  isPage: true,
  answers: { 200: { 'text/html': TEXT } },
});

/** The console's files, and its shell for each of its paths: which page one is, the shell itself knows. */
@Controller()
export class ConsoleController {
  private readonly files = new ConsoleFiles();

  @Get('console')
  @Operation(page('console', 'The console'))
  async root(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.sendShell(request, reply);
  }

  @Get('console/*')
  @Operation(page('consolePath', 'A page of the console, or what it is made of'))
  async any(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const path = request.url.split('?', 1)[0] ?? '';
    if (path === `/console/${VERIFIER}`) return this.sendVerifier(request, reply);
    if (!path.startsWith(ASSETS)) return this.sendShell(request, reply);
    const file = await this.files.find(path.slice('/console/'.length), request.headers['accept-encoding']);
    if (file === null) throw notFound('the file');
    send(request, reply, file, FOR_EVER);
  }

  /** To be saved: the policy of the console's answers lets no script run that stands in a page, which this one is made of. */
  private async sendVerifier(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const file = await this.files.find(VERIFIER, request.headers['accept-encoding']);
    if (file === null) throw notFound('the page: it is not built');
    void reply.header('content-disposition', `attachment; filename="${VERIFIER}"`);
    send(request, reply, file, 'no-cache');
  }

  private async sendShell(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!takesPage(request)) throw notFound('the page');
    const file = await this.files.find(SHELL, request.headers['accept-encoding']);
    if (file === null) throw notFound('the page: it is not built');
    send(request, reply, file, 'no-cache');
  }
}

/** Who names no type takes a page; not so for what is called like a file, which a script or a style sheet asks for. */
function takesPage({ headers: { accept = '*/*' }, url }: FastifyRequest): boolean {
  if (/\btext\/html\b/i.test(accept)) return true;
  return /(?:\*|text)\/\*/.test(accept) && !/\.(?:m?js|css|map|svg|png|ico|json|txt)(?:\?|$)/i.test(url);
}

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile, caching: string): void {
  reply
    .header('cache-control', caching)
    .header('etag', file.etag)
    .header('vary', reply.hasHeader('vary') ? 'Origin, Accept, Accept-Encoding' : 'Accept, Accept-Encoding');
  if (matches(request.headers['if-none-match'], file.etag)) {
    reply.code(304).send();
    return;
  }
  if (file.coding !== 'identity') reply.header('content-encoding', file.coding);
  reply.header('content-type', file.type).send(file.bytes);
}

const matches = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag || one.trim() === '*') ?? false;
