import { type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type {
  FastifyHttpOptions,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawServerDefault,
} from 'fastify';
import { Problem } from '#domain';
import type { Clock, Logger, Random, Settings } from '#platform';
import { Admission } from './admission/admission.js';
import { Authenticator } from './admission/authenticator.js';
import { ConsoleCookie, type ConsoleCookieSettings } from './admission/console-cookie.js';
import { ScopeGuard } from './admission/scope.guard.js';
import { McpDoor, type McpDoorSettings } from './admission/mcp-door.js';
import { ConsoleDoor, type ConsoleDoorSettings } from './admission/console-door.js';
import { CrossOrigin } from './admission/cross-origin.js';
import { BodyDeadlines } from './connections/body-deadlines.js';
import { addBodyParsers, shortenIds, refuseUnwanted } from './body/body-parsers.js';
import {
  REQUEST_TIMEOUT,
  answerClientError,
  refuseConnection,
  refuseExpectations,
} from './connections/client-errors.js';
import { Connections } from './connections/connections.js';
import { NestLogger } from './nest-logger.js';
import { traceOf } from './request-trace.js';
import { ProblemFilter, problemOf, sendProblem } from './problems/problem-filter.js';
import { requestIdOf } from './request-id.js';
import { isBrowserAtRoot, leadToPage } from './admission/root-page.js';
import { ValidationPipe } from './validation/validation.pipe.js';
import { keepRouteBook } from './routes/route-book.js';

/** How long a client may take, and how many there may be. Sources: Node's http, Fastify's Server reference. */
export interface HttpLimits {
  /** Until the whole request has come; of a file, until its next piece. An answer that streams is not cut by it. */
  readonly requestTimeoutMs: number;
  /** Until the whole of a file has come. */
  readonly uploadTimeoutMs: number;
  /** Until the headers have come; silent connections are covered too. */
  readonly headersTimeoutMs: number;
  /** How often Node looks for those that are late. */
  readonly checkIntervalMs: number;
  /** Above a balancer's own, so that it is the balancer who closes idle connections. */
  readonly keepAliveTimeoutMs: number;
  /** Open connections: see Connections. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Connections that the kernel keeps waiting (Linux caps it at net.core.somaxconn). */
  readonly backlog: number;
}

export const HTTP_LIMITS: HttpLimits = {
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 600_000,
  headersTimeoutMs: 10_000,
  checkIntervalMs: 2_000,
  keepAliveTimeoutMs: 72_000,
  maxConnections: 10_000,
  maxConnectionsPerAddress: 4_000,
  backlog: 2_048,
};

export interface HttpParts {
  readonly settings: Pick<Settings, 'maxBodyBytes' | 'rateLimitRpm'> &
    Partial<Pick<Settings, 'isProofPublic'>> &
    McpDoorSettings &
    ConsoleDoorSettings &
    ConsoleCookieSettings;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits?: Partial<HttpLimits>;
  /** Whether the service takes no requests any more. */
  readonly isStopping?: () => boolean;
  /** Sees every request, also those that are refused. */
  readonly watch?: { watch(fastify: FastifyInstance): void };
}

/**
 * The HTTP application of a module, which must provide Authenticator. It does not listen yet. Every route has an
 * `@Operation`; keys, rate and scope are decided before a body is read.
 */
export async function createHttpApp(
  module: Type | DynamicModule,
  parts: HttpParts,
): Promise<NestFastifyApplication> {
  const limits = { ...HTTP_LIMITS, ...parts.limits };
  const newId = (): string => requestIdOf(parts.random)({ headers: {} });
  let admission: Admission | null = null;
  const admit = admitter(parts, () => admission);
  const options: FastifyHttpOptions<RawServerDefault> = {
    ...fastifyOptions(parts, limits),
    clientErrorHandler: (error, socket) => answerClientError(newId, error, socket),
    frameworkErrors: (error, request, reply) => {
      const [req, res] = [request as FastifyRequest, reply as FastifyReply];
      if (admit(req, res)) sendProblem(req, res, problemOf(error));
    },
  };
  const adapter = new FastifyAdapter(options);
  const fastify = adapter.getInstance<FastifyInstance>();
  // Before admission: what is refused may go on sending, too.
  new BodyDeadlines(parts.clock, limits.requestTimeoutMs, ({ socket }) =>
    answerClientError(newId, REQUEST_TIMEOUT, socket),
  ).watch(fastify, limits.checkIntervalMs);
  parts.watch?.watch(fastify);
  addHooks(fastify, parts.logger, admit);
  addBodyParsers(fastify);
  new Connections({
    max: limits.maxConnections,
    maxPerAddress: limits.maxConnectionsPerAddress,
    refuse: (socket) => refuseConnection(newId, socket),
  }).watch(fastify.server);
  refuseExpectations(fastify.server, newId);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    logger: new NestLogger(parts.logger),
    abortOnError: false,
  });
  const { isProofPublic = false } = parts.settings;
  admission = new Admission(
    app.get(Authenticator),
    parts.clock,
    parts.settings.rateLimitRpm,
    fastify.routeBook,
    new ConsoleCookie(parts.settings),
    isProofPublic,
  );
  app.useGlobalGuards(new ScopeGuard(isProofPublic));
  app.useGlobalPipes(new ValidationPipe());
  app.useGlobalFilters(new ProblemFilter(parts.logger));
  return app;
}

type Admit = (request: FastifyRequest, reply: FastifyReply) => boolean;

/** Answers requests that are refused before their body is read. True: the request may go on. */
function admitter({ settings, isStopping }: HttpParts, admission: () => Admission | null): Admit {
  const crossOrigin = new CrossOrigin(settings.corsOrigins ?? []);
  const mcpDoor = new McpDoor(settings);
  const consoleDoor = new ConsoleDoor(settings);
  return (request, reply) => {
    prepare(request, reply);
    if (crossOrigin.answers(request, reply)) return false;
    if (isBrowserAtRoot(request)) {
      leadToPage(reply, consoleDoor.rootPage);
      return false;
    }
    const isClosed = consoleDoor.refuse(request, reply);
    const refusal = isStopping?.()
      ? stopping(reply)
      : (isClosed ?? admission()?.refuse(request, reply) ?? null);
    if (refusal !== null) mcpDoor.challenge(request, reply, refusal);
    const problem = refusal ?? mcpDoor.refuse(request);
    if (problem !== null) sendProblem(request, reply, problem);
    return problem === null;
  };
}

/** Listens; resolves with the address, e.g. `http://127.0.0.1:3000`. */
export async function listen(
  app: NestFastifyApplication,
  { host, port }: Pick<Settings, 'host' | 'port'>,
  limits: Pick<HttpLimits, 'backlog'> = HTTP_LIMITS,
): Promise<string> {
  await app.init();
  const { backlog } = limits;
  // For `localhost` Fastify binds a second server, which has none of the limits and none of the answers above.
  const address = host.toLowerCase() === 'localhost' ? '127.0.0.1' : host;
  return app.getHttpAdapter().getInstance().listen({ host: address, port, backlog });
}

const fastifyOptions = (
  { settings, random }: HttpParts,
  limits: HttpLimits,
): FastifyHttpOptions<RawServerDefault> & { skipMiddie: boolean; multipart: false } => ({
  logger: false,
  bodyLimit: settings.maxBodyBytes,
  requestTimeout: limits.uploadTimeoutMs,
  keepAliveTimeout: limits.keepAliveTimeoutMs,
  http: {
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    // Admission asks for the Host, so that its refusal is a problem like any other.
    requireHostHeader: false,
  },
  genReqId: requestIdOf(random),
  requestIdHeader: false,
  // Nest middleware is not used; without it a request is spared a hook.
  skipMiddie: true,
  multipart: false,
  routerOptions: { maxParamLength: 16_384 },
});

function stopping(reply: FastifyReply): Problem {
  reply.header('connection', 'close');
  return new Problem('unavailable', 'the service is stopping', { retryAfterS: 5 });
}

function prepare(request: FastifyRequest, reply: FastifyReply): void {
  request.principal = null;
  request.answer = null;
  request.refuseStranger = null;
  request.refuseHasty = null;
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  reply.header('cache-control', 'no-store');
}

function addHooks(fastify: FastifyInstance, logger: Logger, admit: Admit): void {
  fastify.decorateRequest('principal', null);
  fastify.decorateRequest('answer', null);
  fastify.decorateRequest('refuseStranger', null);
  fastify.decorateRequest('refuseHasty', null);
  keepRouteBook(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    if (admit(request, reply)) done();
  });
  fastify.addHook('preValidation', (request, _reply, done) => {
    refuseUnwanted(request);
    shortenIds(request);
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    logRequest(logger, request, reply);
    done();
  });
}

/** The route's pattern, never the URL: query strings hold what is not for logs. */
function logRequest(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const fields = {
    request: request.id,
    route: `${request.method} ${request.routeOptions.url ?? '?'}`,
    status: reply.statusCode,
    ...traceOf(request),
    ms: Math.round(reply.elapsedTime * 10) / 10,
  };
  if (reply.statusCode >= 500) logger.warn(fields, 'request answered with an error');
  else logger.debug(fields, 'request');
}
