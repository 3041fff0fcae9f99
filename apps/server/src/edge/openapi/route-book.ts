import type { FastifyInstance, RouteOptions } from 'fastify';
import type { Scope } from '#domain';
import { termsOf } from '../admission/needs-scope.js';

/** A route as it is served. */
export interface Route {
  readonly method: string;
  /** With its parameters as the router writes them: `/runs/:run`. */
  readonly url: string;
  /** null: open to everyone. */
  readonly scope: Scope | null;
  /** Enough instead of it. */
  readonly orScope?: Scope;
}

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
