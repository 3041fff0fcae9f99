import { Body, Controller, Get, HttpCode, Module, Post } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { Authenticator } from '../admission/authenticator.js';
import { createHttpApp, listen } from '../create-http-app.js';
import { Operation, type OperationTerms, SSE_TYPE, answer, isEventStream } from './operation.js';
import { routesOf } from './routes-of.js';

class NoKeys extends Authenticator {
  override authenticate(): null {
    return null;
  }
}

const terms = (id: string, more: Partial<OperationTerms> = {}): OperationTerms => ({
  id,
  tag: 'operations',
  summary: id,
  scope: null,
  answers: { 200: null },
  ...more,
});
const MADE = terms('made', { answers: answer(201, {}) });

@Controller('things')
class ThingsController {
  @Get(':id/parts')
  @Operation(terms('parts'))
  parts(): object {
    return {};
  }

  @Post()
  @Operation(MADE)
  make(): object {
    return {};
  }
}

@Controller()
class ForgottenController {
  @Post('forgotten')
  @HttpCode(200)
  forgotten(@Body() body: unknown): unknown {
    return body;
  }
}

const NOBODY = { provide: Authenticator, useClass: NoKeys };
const PARTS = {
  settings: { maxBodyBytes: 1024, rateLimitRpm: 100 },
  logger: new SilentLogger(),
  clock: new SystemClock(),
  random: new SystemRandom(),
};

@Module({ controllers: [ThingsController], providers: [NOBODY] })
class ThingsModule {}

@Module({ controllers: [ForgottenController], providers: [NOBODY] })
class ForgottenModule {}

describe('the operation of a route', () => {
  it('is found at its controller, with the method and path that Nest serves', () => {
    expect(routesOf([ThingsController])).toEqual([
      { method: 'GET', url: '/things/:id/parts', terms: terms('parts') },
      { method: 'POST', url: '/things', terms: MADE },
    ]);
  });

  it('gives what a handler returns its status', async () => {
    const app = await createHttpApp(ThingsModule, PARTS);
    const origin = await listen(app, { host: '127.0.0.1', port: 0 });
    try {
      expect((await fetch(`${origin}/things`, { method: 'POST' })).status).toBe(201);
      expect((await fetch(`${origin}/things/1/parts`)).status).toBe(200);
    } finally {
      await app.close();
    }
  });

  it('says what there is to follow, not what may answer so', () => {
    expect(isEventStream(terms('a', { answers: { 200: { [SSE_TYPE]: {} }, 204: null } }))).toBe(true);
    expect(isEventStream(MADE)).toBe(false);
    const asked = terms('b', { answers: { 200: { [SSE_TYPE]: {} } }, body: class {} });
    expect(isEventStream(asked)).toBe(false);
  });

  it('is asked for at the boot', async () => {
    const app = await createHttpApp(ForgottenModule, PARTS);
    await expect(listen(app, { host: '127.0.0.1', port: 0 })).rejects.toThrow(
      'POST /forgotten has no @Operation',
    );
  });
});
