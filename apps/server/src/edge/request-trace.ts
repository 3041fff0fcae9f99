import type { FastifyRequest } from 'fastify';
import type { Span } from '#platform';

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the request stands in its trace; null or absent where nobody asked for traces. */
    span?: Span | null;
  }
}

/** For log lines of a request: what names its trace, if it has one. */
export const traceOf = ({ span }: FastifyRequest): { readonly trace_id?: string } =>
  span ? { trace_id: span.traceId } : {};

/** For what a request causes: the run is part of its trace. */
export const causeOf = ({ span }: FastifyRequest): { readonly traceparent?: string } =>
  span ? { traceparent: span.traceparent } : {};
