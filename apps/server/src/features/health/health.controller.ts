import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ALIVE, type Readiness, readinessOf } from '../../edge/probes/health-answer.js';
import { HealthChecks } from '../../edge/probes/health-checks.js';
import { Open } from '../../edge/admission/needs-scope.js';

@Controller()
export class HealthController {
  constructor(private readonly health: HealthChecks) {}

  @Get('healthz')
  @Open()
  alive(): { readonly status: 'ok' } {
    return ALIVE;
  }

  @Get('readyz')
  @Open()
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const readiness = readinessOf(await this.health.check());
    reply.code(readiness.status === 'ok' ? 200 : 503);
    return readiness;
  }
}
