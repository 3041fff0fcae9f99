import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ALIVE, type Readiness, readinessOf } from '../../edge/probes/health-answer.js';
import { HealthChecks } from '../../edge/probes/health-checks.js';
import { named, objectOf, oneOf } from '../../edge/openapi/json-schema.js';
import { JSON_TYPE, Operation, answer } from '../../edge/routes/operation.js';
import { READINESS } from './health-schemas.js';

@Controller()
export class HealthController {
  constructor(private readonly health: HealthChecks) {}

  @Get('healthz')
  @Operation({
    id: 'healthz',
    tag: 'operations',
    summary: 'The process lives',
    scope: null,
    ignoresQuery: true,
    answers: answer(200, named('Health', objectOf({ status: oneOf('ok') }))),
  })
  alive(): { readonly status: 'ok' } {
    return ALIVE;
  }

  @Get('readyz')
  @Operation({
    id: 'readyz',
    tag: 'operations',
    summary: 'It takes requests',
    scope: null,
    ignoresQuery: true,
    answers: { 200: { [JSON_TYPE]: READINESS }, 503: { [JSON_TYPE]: READINESS } },
  })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const readiness = readinessOf(await this.health.check());
    reply.code(readiness.status === 'ok' ? 200 : 503);
    return readiness;
  }
}
