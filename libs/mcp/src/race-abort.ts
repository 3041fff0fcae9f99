/** What the promise brings, unless the signal is aborted before: then it rejects with `reasonOf()`. */
export async function raceAbort<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  reasonOf: () => Error,
): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(reasonOf());
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
