import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type Counter,
  type Histogram,
  LONG_S,
  type Metrics,
  QuietMetrics,
  QuietTracer,
  type Span,
  type Tracer,
  lookOn,
} from '#platform';
import { termsOf } from '../edge/routes/operation.js';
import '../edge/request-trace.js';

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PUT', 'PATCH']);

/** Figures and spans of the requests that are answered. Routes are named by their pattern, so that there are few. */
export class HttpWatch {
  private readonly requests: Counter<'method' | 'route' | 'status'>;
  private readonly seconds: Histogram<'method' | 'route'>;
  private readonly tracer: Tracer | null;

  /** @param tracer null: nobody asked for traces */
  constructor(watched: Metrics, tracer: Tracer | null) {
    const metrics = new QuietMetrics(watched);
    this.tracer = tracer === null ? null : new QuietTracer(tracer);
    this.requests = metrics.counter({
      name: 'annals_http_requests_total',
      help: 'Requests that were answered or cut off; status 499: the client went before the answer began.',
      labels: ['method', 'route', 'status'],
    });
    this.seconds = metrics.histogram({
      name: 'annals_http_request_duration_seconds',
      help: 'From the request to the end of its answer; event streams do not count.',
      labels: ['method', 'route'],
      buckets: LONG_S,
    });
  }

  /** Must come before the hooks that refuse requests. */
  watch(fastify: FastifyInstance): void {
    fastify.decorateRequest('span', null);
    fastify.addHook('onRequest', (request, reply, done) => {
      lookOn(() => this.begin(request, reply));
      done();
    });
  }

  private begin(request: FastifyRequest, reply: FastifyReply): void {
    const since = performance.now();
    request.span = this.spanOf(request);
    reply.raw.once('close', () => lookOn(() => this.end(request, reply, since)));
  }

  private end(request: FastifyRequest, reply: FastifyReply, since: number): void {
    const method = methodOf(request);
    const route = request.routeOptions.url ?? 'unknown';
    const status = reply.raw.headersSent ? reply.raw.statusCode : CLIENT_GONE;
    this.requests.add({ method, route, status: String(status) });
    if (!isStream(reply)) this.seconds.observe({ method, route }, (performance.now() - since) / 1000);
    const { span } = request;
    if (!span) return;
    span.set({ 'http.response.status_code': status });
    if (status >= 500) span.fail(String(status));
    span.end();
  }

  /** What anybody may ask, and asks all the time, is not traced. */
  private spanOf(request: FastifyRequest): Span | null {
    const terms = request.is404 ? null : termsOf(request.routeOptions.config);
    if (this.tracer === null || terms === null || terms.scope === null) return null;
    const method = methodOf(request);
    const route = request.routeOptions.url ?? 'unknown';
    const { traceparent } = request.headers;
    return this.tracer.start({
      name: `${method} ${route}`,
      kind: 'server',
      parent: typeof traceparent === 'string' ? traceparent : '',
      attributes: { 'http.request.method': method, 'http.route': route, 'annals.request.id': request.id },
    });
  }
}

/** nginx's word for it; it is never sent. */
const CLIENT_GONE = 499;

const methodOf = ({ method }: FastifyRequest): string => (METHODS.has(method) ? method : 'other');

const isStream = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type')).startsWith('text/event-stream');
