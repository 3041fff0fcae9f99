import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Principal } from '#access';
import type { RunId } from '#domain';
import { Caller } from '../../../edge/admission/caller.js';
import { Operation, answer } from '../../../edge/routes/operation.js';
import { RunPlaces } from '../shared/run-places.js';
import { RUN_DIFF } from './diff-schema.js';
import { RunDiffs } from './run-diffs.js';

@Controller('runs')
export class DiffController {
  constructor(
    private readonly places: RunPlaces,
    private readonly diffs: RunDiffs,
  ) {}

  @Get(':run/diff/:other')
  @Operation({
    id: 'compareRuns',
    tag: 'runs',
    summary: 'Compares two runs, turn by turn',
    description:
      'Of a run that retries another its own turns alone; of one that has not ended what there is. A turn that broke and ' +
      'was asked again counts once, workflow steps do not count.',
    scope: 'read',
    isForTokens: true,
    answers: answer(200, RUN_DIFF),
  })
  async diff(
    @Param('run') run: RunId,
    @Param('other') other: RunId,
    @Caller() { project }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const a = await this.places.find(project, run);
    const b = await this.places.find(project, other);
    return this.diffs.send(reply, project, { ...a, run }, { ...b, run: other });
  }
}
