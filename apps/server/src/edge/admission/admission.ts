import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem, type Scope } from '#domain';
import type { Clock } from '#platform';
import type { Principal } from '#access';
import type { Authenticator } from './authenticator.js';
import { type OpenAnswer, OpenAnswers } from './open-answers.js';
import { type RouteTerms, termsOf } from './needs-scope.js';
import { RateLimiter } from './rate-limiter.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null on open routes. */
    principal: Principal | null;
    /** The answer to whoever has a key; null on open routes. */
    answer: OpenAnswer | null;
  }
}

/** Requests a minute with a missing or unknown key, of one address: guessing a chosen key must not be cheap. */
const REFUSALS_A_MINUTE = 6000;

/**
 * Decides who comes in, before anything of the body is read, in the documented order: 400 where not one Host is given (no
 * sane request), 401, 429, 403, and 404 for a path that does not exist.
 */
export class Admission {
  private readonly keys: RateLimiter;
  private readonly strangers: RateLimiter;
  private readonly answers: OpenAnswers;

  constructor(
    private readonly authenticator: Authenticator,
    clock: Clock,
    requestsAMinute: number,
  ) {
    this.keys = new RateLimiter(clock, requestsAMinute);
    this.strangers = new RateLimiter(clock, REFUSALS_A_MINUTE, 10_000);
    this.answers = new OpenAnswers(clock);
    authenticator.onRevoked((keyId) => this.answers.end(keyId));
  }

  /** null: come in. */
  refuse(request: FastifyRequest, reply: FastifyReply): Problem | null {
    if (!hasOneHost(request.raw)) return NOT_ONE_HOST;
    const terms = request.is404 ? null : termsOf(request.routeOptions.config);
    if (terms?.scope === null) return null;
    const principal = this.authenticate(request.headers.authorization);
    if (principal === null) return this.refuseStranger(request);
    request.principal = principal;
    const refusal =
      this.refuseHaste(principal, reply) ??
      (terms === null ? NO_PATH : refuseScope(principal, terms, request));
    if (refusal === null) request.answer = this.answers.add(principal, reply);
    return refusal;
  }

  private authenticate(header: string | undefined): Principal | null {
    const bearer = header === undefined ? null : BEARER.exec(header);
    return bearer?.[1] === undefined ? null : this.authenticator.authenticate(bearer[1]);
  }

  private refuseStranger(request: FastifyRequest): Problem {
    const allowance = this.strangers.take(request.raw.socket.remoteAddress ?? '');
    return allowance.isAllowed ? NO_KEY : tooMany(allowance.resetS);
  }

  private refuseHaste(principal: Principal, reply: FastifyReply): Problem | null {
    const { isAllowed, remaining, resetS } = this.keys.take(principal.keyId);
    reply.header('ratelimit-limit', this.keys.limit);
    reply.header('ratelimit-remaining', remaining);
    reply.header('ratelimit-reset', resetS);
    return isAllowed ? null : tooMany(resetS);
  }
}

/** Whether the principal may do what needs the scope: `admin` includes the others. */
export const hasScope = (principal: Principal, scope: Scope): boolean =>
  principal.scopes.has(scope) || principal.scopes.has('admin');

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

const NO_KEY = new Problem('unauthenticated', 'send a valid API key: Authorization: Bearer <key>');
const NO_PATH = new Problem('not_found', 'there is no such path, or not with this method');
const NOT_ONE_HOST = new Problem('invalid_request', 'Host: must be given once', {
  errors: [{ path: 'Host', message: 'must be given once' }],
});

const tooMany = (retryAfterS: number): Problem =>
  new Problem('rate_limited', `too many requests; try again in ${retryAfterS} s`, { retryAfterS });

function refuseScope(principal: Principal, terms: RouteTerms, request: FastifyRequest): Problem | null {
  const { scope, orScope } = terms;
  const mayInstead = orScope !== undefined && hasScope(principal, orScope);
  if (scope !== null && !hasScope(principal, scope) && !mayInstead) {
    return new Problem('forbidden', `this key lacks the scope ${scope}`);
  }
  return terms.isStream === true && request.method === 'HEAD' ? NO_PATH : null;
}

/** RFC 9112, 3.2: exactly one Host line, or none in HTTP/1.0. Of several Node keeps the first and says nothing. */
function hasOneHost({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count === 1 || (count === 0 && httpVersionMinor === 0);
}
