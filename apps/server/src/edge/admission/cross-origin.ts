import type { FastifyReply, FastifyRequest } from 'fastify';

const METHODS = 'GET, POST, PUT, DELETE';
const SENT =
  'Accept, Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id, ' +
  'MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, ' +
  // What OpenAI's clients send.
  'OpenAI-Organization, OpenAI-Project, OpenAI-Beta, X-Stainless-Arch, X-Stainless-Lang, X-Stainless-OS, ' +
  'X-Stainless-Package-Version, X-Stainless-Runtime, X-Stainless-Runtime-Version, X-Stainless-Retry-Count, ' +
  'X-Stainless-Timeout, X-Stainless-Helper-Method, X-Stainless-Poll-Helper, X-Stainless-Custom-Poll-Interval';
/** What a page may read besides the few that every page may. */
const SHOWN =
  'Allow, Content-Location, Location, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, ' +
  'Retry-After, X-Should-Retry, X-Request-Id, WWW-Authenticate, Mcp-Session-Id, annals-head, annals-receipt';
/** How long a browser remembers what it may: Chromium's most is two hours. */
const REMEMBERED_S = '7200';

/**
 * Lets pages of exactly these origins read what the service answers (https://fetch.spec.whatwg.org/#http-cors-protocol).
 * Keys and tokens are sent by name, never as cookies, so there are no credentials in the sense of CORS. Our own and not
 * `@fastify/cors`, which registers a route for every path: here each route states its terms.
 */
export class CrossOrigin {
  private readonly origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.origins = new Set(origins);
  }

  /** True: the browser's question before a request is answered, and nothing more is to be done. */
  answers(request: FastifyRequest, reply: FastifyReply): boolean {
    if (this.origins.size === 0) return false;
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !this.origins.has(origin)) return false;
    reply.header('access-control-allow-origin', origin);
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
      reply.header('access-control-expose-headers', SHOWN);
      return false;
    }
    void reply
      .code(204)
      .header('access-control-allow-methods', METHODS)
      .header('access-control-allow-headers', SENT)
      .header('access-control-max-age', REMEMBERED_S)
      .send();
    return true;
  }
}
