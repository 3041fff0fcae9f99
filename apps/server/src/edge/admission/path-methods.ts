import { isEventStream } from '../routes/operation.js';
import type { Route } from '../routes/route-book.js';

/** What may be asked of a path. */
export interface KnownPath {
  /** As `Allow` says it. */
  readonly allow: string;
  /** All of it needs no key. */
  readonly isOpen: boolean;
}

/** What a URL's path may be asked, to tell one that is not there from one that is asked in another way; null: there is none. */
export function knownPath(routes: readonly Route[], url: string): KnownPath | null {
  const asked = (url.split('?', 1)[0] ?? '').split('/');
  const path = routes.find((route) => fits(route.url.split('/'), asked))?.url;
  if (path === undefined) return null;
  const served = routes.filter((route) => route.url === path);
  const methods = served
    .filter(({ method, terms }) => !(method === 'HEAD' && isEventStream(terms)))
    .map(({ method }) => method);
  return {
    allow: [...new Set(methods)].sort().join(', '),
    isOpen: served.every(({ terms }) => terms.scope === null),
  };
}

/** A segment of a route that begins with `:` stands for any. */
const fits = (segments: readonly string[], asked: readonly string[]): boolean =>
  segments.length === asked.length &&
  segments.every((segment, i) => (segment.startsWith(':') ? asked[i] !== '' : segment === asked[i]));
