import type { Clock } from './clock.js';

/** A signal that is aborted when another one is, with its reason, or so many ms later. */
export function lateSignal(
  signal: AbortSignal,
  msOf: (reason: unknown) => number,
  clock: Clock,
): { readonly signal: AbortSignal } & Disposable {
  const late = new AbortController();
  let stop = (): void => undefined;
  const follow = (): void => {
    const ms = msOf(signal.reason);
    if (ms === 0) late.abort(signal.reason);
    else stop = clock.timer(ms, () => late.abort(signal.reason));
  };
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return {
    signal: late.signal,
    [Symbol.dispose]: () => {
      signal.removeEventListener('abort', follow);
      stop();
    },
  };
}
