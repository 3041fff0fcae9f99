import type { Problem, ProblemCode } from '#domain';

/** The one place where a refusal becomes an HTTP status. */
export const STATUS: Readonly<Record<ProblemCode, number>> = {
  invalid_request: 400,
  unauthenticated: 401,
  budget_exhausted: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  session_busy: 409,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  idempotency_mismatch: 422,
  rate_limited: 429,
  internal: 500,
  log_unavailable: 503,
  sealing_stopped: 503,
  unavailable: 503,
  overloaded: 503,
};

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

export const PROBLEM_JSON = 'application/problem+json';

/** What every refusal's body is (RFC 9457, with `code`, `request_id` and `errors` added). */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly request_id: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** Titles are the statuses' own, so `type` is `about:blank` (RFC 9457, 4.2.1); `code` tells refusals apart. */
export function problemBody(
  { code, detail, more }: Pick<Problem, 'detail' | 'more'> & { readonly code: string },
  status: number,
  requestId: string,
): ProblemBody {
  return {
    type: 'about:blank',
    title: titleOf(status),
    status,
    detail,
    code,
    request_id: requestId,
    ...(more.errors === undefined ? {} : { errors: more.errors }),
  };
}

export const titleOf = (status: number): string => TITLES[status] ?? 'Error';
