import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem, notFound, sessionOfAction, sessionOfRun } from '#domain';
import { type Clock, isSameText } from '#platform';
import { type Principal, reaches } from '#access';
import type { Authenticator } from './authenticator.js';
import type { ConsoleCookie } from './console-cookie.js';
import { type OpenAnswer, OpenAnswers } from './open-answers.js';
import { type OperationTerms, isEventStream, isOpen, termsOf } from '../routes/operation.js';
import type { Route } from '../routes/route-book.js';
import { type KnownPath, knownPath } from './path-methods.js';
import { type Allowance, RateLimiter } from './rate-limiter.js';
import { refuseScope } from './scope.guard.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null on open routes. */
    principal: Principal | null;
    /** The answer to whoever has a key; null on open routes. */
    answer: OpenAnswer | null;
    /** On open routes: the refusal of who came with a wrong key after all, which counts as any other. */
    refuseStranger: (() => Problem) | null;
    /** On open routes: counts the request as one of the key that came in its body after all; the refusal if it is one too many. */
    refuseHasty: ((keyId: string) => Problem | null) | null;
  }
}

/** Requests a minute with a missing or unknown key, of one address: guessing a chosen key must not be cheap. */
const REFUSALS_A_MINUTE = 6000;

/**
 * Decides who comes in, before anything of the body is read, in the documented order: 400 where not one Host is given (no
 * sane request), 401, 429, 403, and 404 for a path that does not exist or 405 for one that has not this method.
 */
export class Admission {
  private readonly keys: RateLimiter;
  private readonly strangers: RateLimiter;
  private readonly answers: OpenAnswers;

  constructor(
    private readonly authenticator: Authenticator,
    clock: Clock,
    requestsAMinute: number,
    private readonly routes: readonly Route[],
    private readonly cookie: ConsoleCookie,
    private readonly isProofPublic: boolean,
  ) {
    this.keys = new RateLimiter(clock, requestsAMinute);
    this.strangers = new RateLimiter(clock, REFUSALS_A_MINUTE, 10_000);
    this.answers = new OpenAnswers(clock);
    authenticator.onRevoked((keyId) => this.answers.end(keyId));
    authenticator.onSignedOut((signIn) => this.answers.endOf(signIn));
  }

  /** null: come in. */
  refuse(request: FastifyRequest, reply: FastifyReply): Problem | null {
    if (!hasOneHost(request.raw)) return NOT_ONE_HOST;
    const terms = request.is404 ? null : termsOf(request.routeOptions.config);
    if (terms !== null && isOpen(terms, this.isProofPublic)) {
      request.refuseStranger = () => this.refuseStranger(request);
      request.refuseHasty = (keyId) => this.refuseHaste(keyId, reply);
      return null;
    }
    const known = terms === null ? knownPath(this.routes, request.url) : null;
    if (known?.isOpen) return wrongPath(known, request, reply);
    const principal = this.authenticate(request, terms);
    if (principal === null) return this.refuseStranger(request);
    request.principal = principal;
    const refusal =
      this.refuseHaste(principal.reach?.token ?? principal.keyId, reply) ??
      (terms === null
        ? wrongPath(known, request, reply)
        : (refuseScope(principal, terms) ?? refuseReach(principal, terms, request))) ??
      this.refuseHead(request, reply);
    if (refusal === null) request.answer = this.answers.add(principal, reply);
    return refusal;
  }

  /**
   * `EventSource` sends no headers: to event streams a token, and no key, may come in the address. Who sends neither may be
   * signed in to the console.
   */
  private authenticate(request: FastifyRequest, terms: OperationTerms | null): Principal | null {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const bearer = BEARER.exec(authorization)?.[1];
      return bearer === undefined ? null : this.authenticator.authenticate(bearer);
    }
    const { token } = (request.query ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof token !== 'string' || terms === null || !isEventStream(terms)) return this.signedIn(request);
    const principal = this.authenticator.authenticate(token);
    return principal?.reach === undefined ? null : principal;
  }

  /** A cookie goes with every request that a browser sends: this one must be the console's own. */
  private signedIn(request: FastifyRequest): Principal | null {
    const cookie = this.cookie.of(request);
    const caller = cookie === null ? null : this.authenticator.ofBrowser(cookie);
    if (caller === null) return null;
    const { method, headers } = request;
    const reads = (method === 'GET' || method === 'HEAD') && headers['sec-fetch-site'] === 'same-origin';
    return reads || says(headers[CSRF_HEADER], caller.csrf) ? caller.principal : null;
  }

  private refuseStranger(request: FastifyRequest): Problem {
    const allowance = this.strangers.take(request.raw.socket.remoteAddress ?? '');
    return allowance.isAllowed ? NO_KEY : tooMany(allowance.resetS);
  }

  /** @param name of a key or a token */
  private refuseHaste(name: string, reply: FastifyReply): Problem | null {
    const allowance = this.keys.take(name);
    tellAllowance(reply, this.keys.limit, allowance);
    return allowance.isAllowed ? null : tooMany(allowance.resetS);
  }

  /** An event stream without its events would be nothing. */
  private refuseHead(request: FastifyRequest, reply: FastifyReply): Problem | null {
    const { method, url, routeOptions } = request;
    const terms = method === 'HEAD' ? termsOf(routeOptions.config) : null;
    if (terms === null || !isEventStream(terms)) return null;
    return wrongPath(knownPath(this.routes, url), request, reply);
  }
}

/** Says that a request is the console's own: no other page knows what it says. */
export const CSRF_HEADER = 'annals-csrf';

/** Whether a header says it. */
export const says = (header: string | string[] | undefined, right: string): boolean =>
  typeof header === 'string' && isSameText(header, right);

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

const NO_KEY = new Problem('unauthenticated', 'send a valid API key: Authorization: Bearer <key>');
const NO_PATH = new Problem('not_found', 'there is no such path');
const NO_NAME = new Problem(
  'not_found',
  'there is no such path: what is escaped in it with % is no character',
);
const NOT_ONE_HOST = new Problem('invalid_request', 'Host: must be given once', {
  errors: [{ path: 'Host', message: 'must be given once' }],
});

const tooMany = (retryAfterS: number): Problem =>
  new Problem('rate_limited', `too many requests; try again in ${retryAfterS} s`, { retryAfterS });

/** What the router did not find though the path takes the method has no name: one that cannot be decoded. */
function wrongPath(known: KnownPath | null, { method }: FastifyRequest, reply: FastifyReply): Problem {
  if (known === null) return NO_PATH;
  if (known.methods.includes(method)) return NO_NAME;
  const allow = known.methods.join(', ');
  reply.header('allow', allow);
  return new Problem('method_not_allowed', `this path takes ${allow}`);
}

/** The three old fields, and those of draft-ietf-httpapi-ratelimit-headers-10. */
function tellAllowance(reply: FastifyReply, limit: number, { remaining, resetS }: Allowance): void {
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetS);
  reply.header('ratelimit-policy', `"key";q=${limit};w=60`);
  reply.header('ratelimit', `"key";r=${remaining};t=${resetS}`);
}

/** A token is for the runs of its sessions, and for nothing else. */
function refuseReach(principal: Principal, terms: OperationTerms, request: FastifyRequest): Problem | null {
  const { reach } = principal;
  if (reach === undefined) return null;
  if (terms.isForTokens !== true) return new Problem('forbidden', 'a token only starts and reads runs');
  const named: Named = { ...onceIn(request.query), ...(request.params as object) };
  const { what, session } = namedIn(named);
  if (named.other !== undefined && !reaches(principal, sessionOfRun(named.other) ?? ''))
    return notFound('the run');
  if (session !== undefined) return reaches(principal, session) ? null : notFound(what);
  return reach.session === null ? null : new Problem('forbidden', 'this token is for one session: name it');
}

/** The parameters of a query string that are given once; any other is refused when it is held against its rules. */
const onceIn = (query: unknown): Named =>
  Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => typeof value === 'string'));

interface Named {
  readonly session?: string;
  readonly run?: string;
  /** A run that another one is compared with. */
  readonly other?: string;
  readonly action?: string;
}

/** The session that a request is about, whatever it is named by. */
function namedIn({ action, run, session }: Named): { readonly what: string; readonly session?: string } {
  if (action !== undefined) return { what: 'the action', session: sessionOfAction(action) ?? '' };
  if (run !== undefined) return { what: 'the run', session: sessionOfRun(run) ?? '' };
  return { what: 'the session', ...(session === undefined ? {} : { session }) };
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
