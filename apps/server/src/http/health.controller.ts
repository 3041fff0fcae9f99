import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Check, HealthChecks } from './health-checks.js';
import { Open } from './needs-scope.js';

interface Readiness {
  readonly status: 'ok' | 'unavailable';
  readonly checks: Readonly<Record<string, { readonly status: 'ok' | 'failing'; readonly detail?: string }>>;
}

@Controller()
export class HealthController {
  constructor(private readonly health: HealthChecks) {}

  @Get('healthz')
  @Open()
  alive(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Open()
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const checks = await this.health.check();
    const isReady = checks.every((check) => check.isOk || !check.isRequired);
    reply.code(isReady ? 200 : 503);
    return { status: isReady ? 'ok' : 'unavailable', checks: Object.fromEntries(checks.map(described)) };
  }
}

const described = ({ name, isOk, detail }: Check): [string, Readiness['checks'][string]] => [
  name,
  { status: isOk ? 'ok' : 'failing', ...(detail === undefined ? {} : { detail }) },
];
