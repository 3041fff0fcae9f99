import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RECEIPT_HEADER } from '#delivery';
import { Problem, type ProblemCode, notFound } from '#domain';
import { EventTooLarge, LogUnavailable, isErasure } from '#event-log';
import { DatabaseFault, ReadModelsUnavailable } from '#read-models';
import type { Logger } from '#platform';
import { isOfFace, openAiError } from './openai-error.js';
import { PROBLEM_JSON, STATUS, problemBody } from './problem-response.js';
import { traceOf } from '../request-trace.js';

/** Makes every refusal and every error of a request an `application/problem+json` answer. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = problemOf(error);
    if (problem.code === 'internal') this.logError(error, request);
    // What was begun cannot be taken back; the client sees a cut answer.
    if (reply.sent || reply.raw.headersSent) reply.raw.destroy();
    else sendProblem(request, reply, problem);
  }

  private logError(error: unknown, request: FastifyRequest): void {
    const route = `${request.method} ${request.routeOptions.url ?? '?'}`;
    this.logger.error({ err: error, request: request.id, ...traceOf(request), route }, 'request failed');
  }
}

/** What an answer that was not to be had would have said of itself; which run it was about may still be told. */
const OF_THE_ANSWER = ['location', 'content-disposition', RECEIPT_HEADER];

/** Answers with a problem. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  for (const name of OF_THE_ANSWER) reply.removeHeader(name);
  if (isOfFace(request.url)) return sendOpenAiError(request, reply, problem);
  const status = STATUS[problem.code];
  if (problem.more.retryAfterS !== undefined) reply.header('retry-after', String(problem.more.retryAfterS));
  if (status === 401 && !reply.hasHeader('www-authenticate'))
    reply.header('www-authenticate', 'Bearer realm="annals"');
  // Fastify asks to close after a body that it did not read to its end. Node reads the rest and drops it instead, so
  // that the client, still sending, gets the answer and not a reset; requestTimeout ends what never ends.
  reply.removeHeader('connection');
  return (
    reply
      .code(status)
      .header('content-type', PROBLEM_JSON)
      // Bytes: to text Fastify would add a charset, which the type does not have (RFC 9457, 6.1).
      .send(Buffer.from(JSON.stringify(problemBody(problem, status, request.id))))
  );
}

/** The same to whoever reads errors as OpenAI's clients do. */
function sendOpenAiError(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const { status, isFinal, body } = openAiError(problem, request.is404);
  const { retryAfterS } = problem.more;
  if (retryAfterS !== undefined) reply.header('retry-after', String(retryAfterS));
  if (isFinal) reply.header('x-should-retry', 'false');
  reply.removeHeader('connection');
  return reply
    .code(status)
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify(body)));
}

/** The refusal that stands for an error; `internal` for whatever nobody expected. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof LogUnavailable) {
    return new Problem('log_unavailable', 'the log takes no writes now; nothing was started', {
      retryAfterS: 5,
    });
  }
  // Tables that are damaged or being made again are remade from the log: another try helps.
  if (error instanceof ReadModelsUnavailable || error instanceof DatabaseFault) {
    return new Problem('unavailable', 'the database of the lists does not answer now', { retryAfterS: 5 });
  }
  // Erased while the request was under way.
  if (isErasure(error)) return notFound('the session');
  if (error instanceof EventTooLarge) {
    return new Problem('payload_too_large', 'the request is too large to be stored');
  }
  const cause = error instanceof HttpException ? (error.cause ?? error) : error;
  const status = statusOf(error);
  return (
    REFUSED[codeOf(cause)] ?? byStatus(status) ?? new Problem('internal', 'an unexpected error occurred')
  );
}

/** What Fastify itself refuses, in our words. */
const REFUSED: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new Problem('payload_too_large', 'the body is larger than MAX_BODY_KB allows'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new Problem('unsupported_media_type', 'send the body as application/json'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new Problem(
    'invalid_request',
    'the body is not as long as Content-Length says',
  ),
  ECONNRESET: new Problem('invalid_request', 'the body was cut off'),
};

const BY_STATUS: Readonly<Record<number, readonly [ProblemCode, string]>> = {
  400: ['invalid_request', 'the request is not valid'],
  401: ['unauthenticated', 'a valid API key is needed'],
  403: ['forbidden', 'this key may not do that'],
  404: ['not_found', 'the path does not exist'],
  405: ['method_not_allowed', 'the path has no such method'],
  413: ['payload_too_large', 'the request is too large'],
  414: ['invalid_request', 'the path is too long'],
  415: ['unsupported_media_type', 'the content type is not supported'],
  422: ['unprocessable', 'the request cannot be carried out'],
  429: ['rate_limited', 'too many requests'],
};

function byStatus(status: number): Problem | null {
  const known = BY_STATUS[status];
  return known === undefined ? null : new Problem(...known);
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const status =
    typeof error === 'object' && error !== null && (error as { statusCode?: unknown }).statusCode;
  return typeof status === 'number' ? status : 500;
}
