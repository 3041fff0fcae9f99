import type { FastifyInstance, RouteOptions } from 'fastify';
import { isEventStream, termsOf } from '../routes/operation.js';

/** What may be asked of a path. */
export interface KnownPath {
  /** As `Allow` says it. */
  readonly allow: string;
  /** All of it needs no key. */
  readonly isOpen: boolean;
}

interface Place {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
  isOpen: boolean;
}

/** The methods of each path, to tell a path that is not there from one that is asked in another way. Owns its list. */
export class PathMethods {
  private readonly places = new Map<string, Place>();

  /** Notes each route that is registered from now on. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route: RouteOptions) => {
      const terms = termsOf(route.config);
      const methods = [route.method]
        .flat()
        .filter((method) => !(method === 'HEAD' && terms !== null && isEventStream(terms)));
      const place = this.placeOf(route.url);
      for (const method of methods) place.methods.add(method);
      if (terms?.scope !== null) place.isOpen = false;
    });
  }

  /** null: there is no such path. */
  of(url: string): KnownPath | null {
    const path = url.split('?', 1)[0] ?? '';
    for (const { pattern, methods, isOpen } of this.places.values())
      if (pattern.test(path)) return { allow: [...methods].sort().join(', '), isOpen };
    return null;
  }

  private placeOf(url: string): Place {
    const known = this.places.get(url);
    if (known !== undefined) return known;
    const pattern = new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:[A-Za-z_]+/g, '[^/]+')}$`);
    const place = { pattern, methods: new Set<string>(), isOpen: true };
    this.places.set(url, place);
    return place;
  }
}
