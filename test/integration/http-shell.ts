import { Socket, connect } from 'node:net';
import { Body, Controller, Get, Module, Param, Post, Res } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { Problem, type Scope, notFound } from '#domain';
import { LogUnavailable } from '#event-log';
import type { Principal } from '#access';
import { type Logger, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { Authenticator } from '../../apps/server/src/edge/admission/authenticator.js';
import { Caller } from '../../apps/server/src/edge/admission/caller.js';
import { type HttpLimits, createHttpApp, listen } from '../../apps/server/src/edge/create-http-app.js';
import { type Check, HealthChecks } from '../../apps/server/src/edge/probes/health-checks.js';
import { HealthController } from '../../apps/server/src/features/health/health.controller.js';
import { Operation, type OperationTerms, SSE_TYPE } from '../../apps/server/src/edge/routes/operation.js';

class AnyBodyDto {}

const Route = (id: string, scope: Scope, more: Partial<OperationTerms> = {}): MethodDecorator =>
  Operation({
    id,
    tag: 'operations',
    summary: id,
    scope,
    ignoresQuery: true,
    answers: { 200: null },
    ...more,
  });

@Controller()
class EchoController {
  @Post('echo')
  @Route('echo', 'run', { body: AnyBodyDto })
  echo(@Body() body: unknown, @Caller() { keyId }: Principal): object {
    return { body: body ?? null, keyId };
  }

  @Post('items/:id')
  @Route('item', 'admin')
  item(@Param('id') id: string): object {
    if (id === 'busy') throw new Problem('session_busy', 'another run is under way');
    if (id === 'down') throw new LogUnavailable('disk full at /secret/path');
    throw notFound('the item');
  }

  @Get('boom')
  @Route('boom', 'read')
  boom(): never {
    throw new Error('connect postgres://user:secret@db');
  }

  @Get('stream')
  @Route('stream', 'read', { answers: { 200: { [SSE_TYPE]: {} } } })
  stream(@Res() reply: FastifyReply): void {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
    reply.raw.write('data: begun\n\n');
  }
}

const keys = new Map<string, Principal>(
  (['run', 'read', 'admin'] as const).map((scope) => [
    `annals_${scope}`,
    { keyId: `key_${scope}`, project: 'default', scopes: new Set([scope]), isRoot: false },
  ]),
);

class SomeKeys extends Authenticator {
  override authenticate(key: string): Principal | null {
    return keys.get(key) ?? null;
  }
}

export class SomeChecks extends HealthChecks {
  checks: readonly Check[] = [{ name: 'log', isOk: true, isRequired: true }];
  override async check(): Promise<readonly Check[]> {
    return this.checks;
  }
}

@Module({
  controllers: [EchoController, HealthController],
  providers: [
    { provide: Authenticator, useClass: SomeKeys },
    { provide: HealthChecks, useClass: SomeChecks },
  ],
})
class ShellModule {}

export interface Shell {
  readonly app: NestFastifyApplication;
  readonly origin: string;
  readonly port: number;
}

/** The HTTP shell with a controller that echoes, on a free port. */
export async function startShell(options: {
  readonly rateLimitRpm?: number;
  readonly logger?: Logger;
  readonly limits?: Partial<HttpLimits>;
}): Promise<Shell> {
  const app = await createHttpApp(ShellModule, {
    settings: { maxBodyBytes: 256 * 1024, rateLimitRpm: options.rateLimitRpm ?? 100_000 },
    logger: options.logger ?? new SilentLogger(),
    clock: new SystemClock(),
    random: new SystemRandom(),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const origin = await listen(app, { host: '127.0.0.1', port: 0 });
  return { app, origin, port: Number(new URL(origin).port) };
}

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends bytes as they are and reads until the answer is there, or the connection has ended. Status 0: no answer. */
export function exchange(port: number, ...pieces: readonly (string | Buffer)[]): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let text = '';
    const socket: Socket = connect(port, '127.0.0.1', () => {
      for (const piece of pieces) socket.write(piece);
    });
    const done = () => {
      socket.destroy();
      resolve(answerOf(text));
    };
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (isComplete(text)) done();
    });
    socket.on('error', done);
    socket.on('close', done);
  });
}

function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return length !== undefined && text.length >= end + 4 + Number(length);
}

function answerOf(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  return { status, head: text.slice(0, Math.max(0, end)), body: end === -1 ? '' : text.slice(end + 4) };
}
