import { Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ProjectId, RunId } from '#domain';
import { Deliveries } from '#delivery';
import type { Principal } from '#access';
import { PageQuery } from '../../edge/validation/query-dtos.js';
import { Caller } from '../../edge/admission/caller.js';
import { RunPlaces } from '../runs/shared/run-places.js';
import { pageOf } from '../../edge/openapi/json-schema.js';
import { Operation, answer } from '../../edge/routes/operation.js';
import { DELIVERY } from './delivery-schemas.js';

/** What became of a run's callback. */
@Controller('runs/:run/deliveries')
export class DeliveriesController {
  constructor(
    private readonly places: RunPlaces,
    private readonly deliveries: Deliveries,
  ) {}

  @Get()
  @Operation({
    id: 'listDeliveries',
    tag: 'runs',
    summary: "What became of a run's callback, event by event",
    scope: 'read',
    query: PageQuery,
    answers: answer(200, pageOf(DELIVERY)),
  })
  async list(
    @Param('run') run: RunId,
    @Query() { limit, cursor }: PageQuery,
    @Caller() { project }: Principal,
  ) {
    return this.deliveries.list(await this.placeOf(project, run), limit, cursor);
  }

  @Post(':delivery/resend')
  @Operation({
    id: 'resendDelivery',
    tag: 'runs',
    summary: 'Sends a delivery again',
    scope: 'run',
    answerHeaders: ['Location'],
    answers: answer(202, DELIVERY),
    refusals: [409, 422],
  })
  async resend(
    @Param('run') run: RunId,
    @Param('delivery') delivery: string,
    @Caller() { project, keyId }: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const place = await this.placeOf(project, run);
    reply.header('location', `/runs/${place.run}/deliveries`);
    return this.deliveries.resend(place, delivery, { project, actor: keyId });
  }

  private async placeOf(project: ProjectId, id: string) {
    const { session, run = id, before: requested } = await this.places.find(project, id);
    return { session, run, requested };
  }
}
