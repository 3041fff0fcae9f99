import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Metrics } from '#platform';
import { NeedsScope } from '../http/needs-scope.js';

/** The figures of this replica, for Prometheus. They hold no ids, so any key that may read may read them. */
@Controller()
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get('metrics')
  @NeedsScope('read')
  async read(@Res() reply: FastifyReply): Promise<void> {
    const { contentType, text } = await this.metrics.read();
    reply.code(200).header('content-type', contentType).send(text);
  }
}
