import { auth, untilSignedIn } from '../app/session.js';
import { problemOf, unreachable } from './problem.js';

export { ApiProblem } from './problem.js';

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The headers of every call: the cookie counts only beside what other pages cannot know. */
export const callHeaders = (): Record<string, string> =>
  auth.value === null ? {} : { 'annals-csrf': auth.value.csrf };

/**
 * One call, repeated after a sign-in where it was answered 401.
 * @throws ApiProblem; a DOMException where `signal` aborts
 */
export async function callApi(path: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const asked = auth.value;
    const answer = await fetch(path, {
      ...init,
      headers: { accept: 'application/json', ...(init.headers as Record<string, string>), ...callHeaders() },
    }).catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw unreachable();
    });
    if (answer.status !== 401) {
      if (!answer.ok) throw await problemOf(answer);
      return answer;
    }
    // Sent before somebody signed in again, and answered since.
    if (auth.value === null || auth.value === asked) await untilSignedIn(init.signal ?? undefined);
  }
}

async function call<T>(method: string, path: string, body: unknown, options: CallOptions): Promise<T> {
  const { signal, headers = {} } = options;
  const isForm = body instanceof FormData;
  const answer = await callApi(path, {
    method,
    headers: {
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await answer.text();
  const isJson = /^application\/(?:[\w.]+\+)?json/.test(answer.headers.get('content-type') ?? '');
  return (isJson ? JSON.parse(text) : text) as T;
}

/** Calls of the service. Answers that are JSON are parsed; others, such as `/metrics`, come as text. */
export const api = {
  get: <T>(path: string, options: CallOptions = {}): Promise<T> => call<T>('GET', path, undefined, options),
  post: <T>(path: string, body?: unknown, options: CallOptions = {}): Promise<T> =>
    call<T>('POST', path, body, options),
  put: <T>(path: string, body: unknown, options: CallOptions = {}): Promise<T> =>
    call<T>('PUT', path, body, options),
  delete: <T = void>(path: string, options: CallOptions = {}): Promise<T> =>
    call<T>('DELETE', path, undefined, options),
};
