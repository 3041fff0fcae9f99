import { Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ProjectId, RunId } from '#domain';
import { Deliveries } from '#delivery';
import type { Principal } from '#access';
import { noQuery, pageQuery } from '../../edge/validation/queries.js';
import { Caller } from '../../edge/admission/caller.js';
import { NeedsScope } from '../../edge/admission/needs-scope.js';
import { RunPlaces } from '../runs/shared/run-places.js';

/** What became of a run's callback. */
@Controller('runs/:run/deliveries')
export class DeliveriesController {
  constructor(
    private readonly places: RunPlaces,
    private readonly deliveries: Deliveries,
  ) {}

  @Get()
  @NeedsScope('read')
  async list(@Param('run') run: RunId, @Query() query: unknown, @Caller() { project }: Principal) {
    const { limit, cursor } = pageQuery(query);
    return this.deliveries.list(await this.placeOf(project, run), limit, cursor);
  }

  @Post(':delivery/resend')
  @HttpCode(202)
  @NeedsScope('run')
  async resend(
    @Param('run') run: RunId,
    @Param('delivery') delivery: string,
    @Query() query: unknown,
    @Caller() { project, keyId }: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    noQuery(query);
    const place = await this.placeOf(project, run);
    reply.header('location', `/runs/${place.run}/deliveries`);
    return this.deliveries.resend(place, delivery, { project, actor: keyId });
  }

  private async placeOf(project: ProjectId, id: string) {
    const { session, run = id, before: requested } = await this.places.find(project, id);
    return { session, run, requested };
  }
}
