import { place } from './router.js';

/** Where somebody signs in and comes back from. */
export function signInPath(): string {
  const { path, query } = place.value;
  const text = query.toString();
  const to = path + (text === '' ? '' : `?${text}`);
  return path === '/console' ? '/console/sign-in' : `/console/sign-in?to=${encodeURIComponent(to)}`;
}

/** Where a sign-in leads: a path of the console, or its start. Whatever else is asked for, it leads nowhere else. */
export const safePath = (to: string | null | undefined): string =>
  typeof to === 'string' && /^\/console(?:[/?#]|$)/.test(to) && !/^\/console\/(?:sign-in|welcome)\b/.test(to)
    ? to
    : '/console';
