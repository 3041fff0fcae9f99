import type { FastifyInstance, RouteOptions } from 'fastify';
import { isEventStream, termsOf } from '../routes/operation.js';

/** What may be asked of a path. */
export interface KnownPath {
  /** As `Allow` says it. */
  readonly allow: string;
  /** All of it needs no key. */
  readonly isOpen: boolean;
}

interface Path {
  /** Of its route; one that begins with `:` stands for any. */
  readonly segments: readonly string[];
  readonly methods: Set<string>;
  isOpen: boolean;
}

/** The methods of each path, to tell a path that is not there from one that is asked in another way. Owns its list. */
export class PathMethods {
  private readonly paths = new Map<string, Path>();

  /** Notes each route that is registered from now on. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route: RouteOptions) => {
      const terms = termsOf(route.config);
      const methods = [route.method]
        .flat()
        .filter((method) => !(method === 'HEAD' && terms !== null && isEventStream(terms)));
      const path = this.pathOf(route.url);
      for (const method of methods) path.methods.add(method);
      if (terms?.scope !== null) path.isOpen = false;
    });
  }

  /** null: there is no such path. */
  of(url: string): KnownPath | null {
    const asked = (url.split('?', 1)[0] ?? '').split('/');
    for (const { segments, methods, isOpen } of this.paths.values())
      if (fits(segments, asked)) return { allow: [...methods].sort().join(', '), isOpen };
    return null;
  }

  private pathOf(url: string): Path {
    const known = this.paths.get(url);
    if (known !== undefined) return known;
    const path = { segments: url.split('/'), methods: new Set<string>(), isOpen: true };
    this.paths.set(url, path);
    return path;
  }
}

const fits = (segments: readonly string[], asked: readonly string[]): boolean =>
  segments.length === asked.length &&
  segments.every((segment, i) => (segment.startsWith(':') ? asked[i] !== '' : segment === asked[i]));
