import { place } from './router.js';

/** Where somebody signs in and comes back from. */
export function signInPath(): string {
  const { path, query } = place.value;
  const text = query.toString();
  const to = path + (text === '' ? '' : `?${text}`);
  return path === '/console' ? '/console/sign-in' : `/console/sign-in?to=${encodeURIComponent(to)}`;
}

/** Where a sign-in leads: a path of the console, or its start. Whatever else is asked for, it leads nowhere else. */
export function safePath(to: string | null | undefined): string {
  const url = URL.parse(to ?? START, window.location.origin);
  if (url === null || url.origin !== window.location.origin) return START;
  const isOfConsole = /^\/console(?:\/|$)/.test(url.pathname);
  const isDoor = /^\/console\/(?:sign-in|welcome)\b/.test(url.pathname);
  return isOfConsole && !isDoor ? url.pathname + url.search + url.hash : START;
}

const START = '/console';
