import { signal } from '@preact/signals';

/** Owns where the page is. The browser's history and this signal always say the same. */
export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Without `#`. */
  readonly hash: string;
}

const placeOf = ({ pathname, search, hash }: Location | URL): Place => ({
  path: pathname,
  query: new URLSearchParams(search),
  hash: hash.slice(1),
});

export const place = signal<Place>(placeOf(window.location));
/** The same signal under the name that pages use. */
export { place as location };

/** Counts the times that another path was gone to: what takes the focus then follows it. */
export const arrivals = signal(0);

const settle = (): void => {
  const before = place.value.path;
  place.value = placeOf(window.location);
  if (withoutEvent(before) !== withoutEvent(place.value.path)) arrivals.value += 1;
};

/** A path names an event after `@`; seeking in a page is no arrival. */
const withoutEvent = (path: string): string => path.replace(/@\d*$/, '');

export interface NavigateOptions {
  /** Takes the place of the entry in the history. */
  readonly replace?: boolean;
}

/** @param to a path, or a query or hash of where we are */
export function navigate(to: string, { replace = false }: NavigateOptions = {}): void {
  const url = new URL(to, window.location.href);
  if (url.origin !== window.location.origin) return;
  const next = url.pathname + url.search + url.hash;
  if (replace) window.history.replaceState(null, '', next);
  else if (url.href !== window.location.href) window.history.pushState(null, '', next);
  settle();
}

/** Sets parameters of the query; null or '' takes one out. */
export function setQuery(
  changes: Readonly<Record<string, string | null>>,
  options: NavigateOptions = {},
): void {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  const text = query.toString();
  navigate(place.value.path + (text === '' ? '' : `?${text}`), options);
}

window.addEventListener('popstate', settle);
