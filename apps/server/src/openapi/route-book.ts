import type { FastifyInstance, RouteOptions } from 'fastify';
import { termsOf } from '../http/needs-scope.js';
import type { Route } from './describe-service.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route that is served, in the order of registration. */
    routeBook: readonly Route[];
  }
}

/** Notes each route that is registered from now on: what is described is what is served. */
export function keepRouteBook(fastify: FastifyInstance): void {
  const routes: Route[] = [];
  fastify.decorate('routeBook', routes);
  fastify.addHook('onRoute', (route: RouteOptions) => {
    for (const method of [route.method].flat()) routes.push({ method, url: route.url, ...scopesOf(route) });
  });
}

function scopesOf({ config }: RouteOptions): Pick<Route, 'scope' | 'orScope'> {
  const terms = termsOf(config);
  return { scope: terms?.scope ?? null, ...(terms?.orScope ? { orScope: terms.orScope } : {}) };
}
