import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Principal } from '#access';
import { Problem, type RunId, notFound } from '#domain';
import { Receipts } from '#sealer';
import { Caller } from '../../edge/admission/caller.js';
import { TEXT } from '../../edge/openapi/json-schema.js';
import { Operation } from '../../edge/routes/operation.js';
import { RunPlaces } from './shared/run-places.js';

/** That a run ended as it did, signed. */
@Controller('runs/:run/receipt')
export class ReceiptController {
  constructor(
    private readonly places: RunPlaces,
    private readonly receipts: Receipts,
  ) {}

  @Get()
  @Operation({
    id: 'getReceipt',
    tag: 'runs',
    summary: 'A signed note of how a run ended, to be kept by whoever got its answer',
    description: 'The same each time. 409 before the end of the run.',
    scope: 'read',
    isForTokens: true,
    answers: { 200: { 'text/plain': TEXT } },
    refusals: [409],
  })
  async one(
    @Param('run') id: RunId,
    @Caller() { project }: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { session, run = id, lastId } = await this.places.find(project, id);
    if (lastId === null) throw new Problem('conflict', 'the run has not ended');
    const note = await this.receipts.note({ session, run, revision: lastId });
    if (note === null) throw notFound('the run');
    void reply.code(200).header('content-type', 'text/plain; charset=utf-8').send(note);
  }
}
