import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Principal } from '#access';
import type { ResultFile, RunId } from '#domain';
import { Caller } from '../../../edge/admission/caller.js';
import { LargeAnswers } from '../../../edge/answers/large-answer.js';
import { pageOf } from '../../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../../edge/routes/operation.js';
import { PageQuery } from '../../../edge/validation/query-dtos.js';
import { RunPlaces } from '../shared/run-places.js';
import { RUN_FILE } from './file-schemas.js';
import { RunFiles } from './run-files.js';

/** What the tools of a run brought besides text. */
@Controller('runs/:run/files')
export class RunFilesController {
  constructor(
    private readonly places: RunPlaces,
    private readonly files: RunFiles,
    private readonly large: LargeAnswers,
  ) {}

  @Get()
  @Operation({
    id: 'listRunFiles',
    tag: 'runs',
    summary: 'Images, audio and files that the tools of a run brought',
    scope: 'read',
    isForTokens: true,
    query: PageQuery,
    answers: answer(200, pageOf(RUN_FILE)),
  })
  async list(
    @Param('run') run: RunId,
    @Query() { limit, cursor }: PageQuery,
    @Caller() { project }: Principal,
  ) {
    return this.files.list({ ...(await this.places.find(project, run)), run }, limit, cursor);
  }

  @Get(':kept')
  @Operation({
    id: 'getRunFile',
    tag: 'runs',
    summary: 'One of them',
    description: 'Its bytes, as the tool server sent them, with the media type of the list.',
    scope: 'read',
    isForTokens: true,
    answers: { 200: { '*/*': { type: 'string', contentMediaType: 'application/octet-stream' } } },
  })
  async one(
    @Param('run') run: RunId,
    @Param('kept') id: string,
    @Caller() { project }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const place = { ...(await this.places.find(project, run)), run };
    const file = await this.files.get(place, id);
    return this.large.sendBytes(reply, project, file.file.bytes, async () => {
      const bytes = await this.files.bytes(place, file);
      // A tool server made it: no browser shows it as a page of this origin.
      reply.header('content-type', file.media_type);
      reply.header('content-disposition', dispositionOf(file));
      reply.header('content-security-policy', "default-src 'none'; sandbox");
      return bytes;
    });
  }
}

/** RFC 6266, with the name as RFC 8187 has it. */
function dispositionOf({ name }: ResultFile): string {
  if (name === undefined) return 'attachment';
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename*=UTF-8''${encoded}`;
}
