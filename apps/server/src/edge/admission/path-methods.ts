import { isEventStream } from '../routes/operation.js';
import type { Route } from '../routes/route-book.js';

/** What may be asked of a path. */
export interface KnownPath {
  readonly methods: readonly string[];
  /** All of it needs no key. */
  readonly isOpen: boolean;
}

/** What a URL's path may be asked, to tell one that is not there from one that is asked in another way; null: there is none. */
export function knownPath(routes: readonly Route[], url: string): KnownPath | null {
  const asked = (url.split('?', 1)[0] ?? '').split('/');
  const fitting = routes.map(({ url }) => url.split('/')).filter((segments) => fits(segments, asked));
  const path = (fitting.find((segments) => !isOpenEnded(segments)) ?? fitting[0])?.join('/');
  if (path === undefined) return null;
  const served = routes.filter((route) => route.url === path);
  const methods = served
    .filter(({ method, terms }) => !(method === 'HEAD' && isEventStream(terms)))
    .map(({ method }) => method);
  return {
    methods: [...new Set(methods)].sort(),
    isOpen: served.every(({ terms }) => terms.scope === null),
  };
}

/** A segment of a route that begins with `:` stands for any, and `*` at its end for whatever comes. */
function fits(segments: readonly string[], asked: readonly string[]): boolean {
  const stated = isOpenEnded(segments) ? segments.slice(0, -1) : segments;
  return (
    (stated.length < segments.length ? asked.length > stated.length : asked.length === stated.length) &&
    stated.every((segment, i) => (segment.startsWith(':') ? asked[i] !== '' : segment === asked[i]))
  );
}

const isOpenEnded = (segments: readonly string[]): boolean => segments.at(-1) === '*';
