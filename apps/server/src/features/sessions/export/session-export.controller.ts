import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Principal, hasScope } from '#access';
import { SessionExport } from '#delivery';
import { Problem, type SessionId, notFound } from '#domain';
import { Caller } from '../../../edge/admission/caller.js';
import { LargeAnswers } from '../../../edge/answers/large-answer.js';
import { TEXT } from '../../../edge/openapi/json-schema.js';
import { Operation } from '../../../edge/routes/operation.js';
import { readDisclosure } from './disclosure.js';
import { ExportQuery } from './export-query.js';

const LINES_TYPE = 'application/jsonl';

/** A session as a file that others can check without the service. */
@Controller('sessions/:session/export')
export class SessionExportController {
  constructor(
    private readonly exports: SessionExport,
    private readonly large: LargeAnswers,
  ) {}

  @Get()
  @Operation({
    id: 'exportSession',
    tag: 'sessions',
    summary: 'A session as a file that anybody can check, with what proves it',
    description:
      'One JSON object a line: docs/proof.md says what they are, and `annals verify` checks them. `disclose` says which ' +
      'texts are in it; the others stay provable. Of an erased session, for the scope `admin`, what is left: its structure. ' +
      'A file without its last line broke off.',
    scope: 'read',
    query: ExportQuery,
    answers: { 200: { [LINES_TYPE]: TEXT } },
    refusals: [404, 422],
  })
  async one(
    @Param('session') session: SessionId,
    @Query() { disclose: asked }: ExportQuery,
    @Caller() caller: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { project } = caller;
    const disclose = readDisclosure(asked)!;
    const found = await this.exports.find(session);
    const isForAll = found?.erasedAt === null;
    if (found?.project !== project || !(isForAll || hasScope(caller, 'admin'))) throw notFound('the session');
    if (disclose.highest > found.last)
      throw new Problem('unprocessable', `disclose: the last event of the session is ${found.last}`, {
        errors: [{ path: 'disclose', message: `the last event of the session is ${found.last}` }],
      });
    reply
      .code(200)
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="${session}.annals.jsonl"`);
    await this.large.send(reply, project, () => this.exports.lines(session, found, disclose), LINES_TYPE);
  }
}
