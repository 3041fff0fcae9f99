import type { FastifyInstance, RouteOptions } from 'fastify';
import { type OperationTerms, termsOf } from './operation.js';

/** A route as it is served. */
export interface Route {
  readonly method: string;
  /** With its parameters as the router writes them: `/runs/:run`. */
  readonly url: string;
  readonly terms: OperationTerms;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route that is served, in the order of registration. */
    routeBook: readonly Route[];
  }
}

/** Notes each route that is registered from now on: what is described is what is served. A route without terms stops the boot. */
export function keepRouteBook(fastify: FastifyInstance): void {
  const routes: Route[] = [];
  fastify.decorate('routeBook', routes);
  fastify.addHook('onRoute', (route: RouteOptions) => {
    const terms = termsOf(route.config);
    if (terms === null) throw new Error(`${String(route.method)} ${route.url} has no @Operation`);
    for (const method of [route.method].flat()) routes.push({ method, url: route.url, terms });
  });
}
