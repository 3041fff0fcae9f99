import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Metrics } from '#platform';
import type { Principal } from '#access';
import { Caller } from '../../edge/admission/caller.js';
import { TEXT } from '../../edge/openapi/json-schema.js';
import { Operation } from '../../edge/routes/operation.js';

/**
 * The figures of this replica, for Prometheus. A key reads those of its own project; the others, and what the process as
 * a whole does, which tells of the others, too, are for the operator.
 */
@Controller()
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get('metrics')
  @Operation({
    id: 'metrics',
    tag: 'operations',
    summary: 'Metrics for Prometheus',
    description:
      'What a key reads concerns its own project. All of them, and the process itself, are shown to the first admin key ' +
      'and to keys with the scope `metrics`, which it alone gives out.',
    scope: 'read',
    orScope: 'metrics',
    ignoresQuery: true,
    answers: { 200: { 'text/plain': TEXT } },
  })
  async read(@Caller() caller: Principal, @Res() reply: FastifyReply): Promise<void> {
    const { contentType, text } = await this.metrics.read(seesAll(caller) ? undefined : caller.project);
    reply.code(200).header('content-type', contentType).send(text);
  }
}

/** Not by `admin`, which administers one project. */
const seesAll = ({ isRoot, scopes }: Principal): boolean => isRoot || scopes.has('metrics');
