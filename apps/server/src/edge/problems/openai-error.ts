import type { Problem, ProblemCode } from '#domain';
import { STATUS } from './problem-response.js';

/** Under these paths refusals have the form that OpenAI's clients read. */
const FACE = /^\/v1(?:[/?]|$)/;

export const isOfFace = (url: string): boolean => FACE.test(url);

/** An answer of that form. */
export interface OpenAiError {
  readonly status: number;
  /** The client must not send the same again by itself. */
  readonly isFinal: boolean;
  readonly body: {
    readonly error: {
      readonly message: string;
      readonly type: string;
      readonly param: string | null;
      readonly code: string;
    };
  };
}

const STATUSES: Partial<Readonly<Record<ProblemCode, number>>> = {
  budget_exhausted: 429,
  method_not_allowed: 404,
};

const CODES: Partial<Readonly<Record<ProblemCode, string>>> = {
  invalid_request: 'invalid_value',
  unauthenticated: 'invalid_api_key',
  budget_exhausted: 'insufficient_quota',
  method_not_allowed: 'unknown_url',
  rate_limited: 'rate_limit_exceeded',
};

/** @param isUnknownPath nothing is served there */
export function openAiError({ code, detail, more }: Problem, isUnknownPath: boolean): OpenAiError {
  const status = STATUSES[code] ?? STATUS[code];
  const own = code === 'not_found' && isUnknownPath ? 'unknown_url' : (CODES[code] ?? code);
  return {
    status,
    isFinal: status === 409 || code === 'budget_exhausted',
    body: {
      error: {
        message: detail,
        type: typeOf(code, status),
        param: more.errors?.[0]?.path ?? null,
        code: more.reason ?? own,
      },
    },
  };
}

function typeOf(code: ProblemCode, status: number): string {
  if (code === 'budget_exhausted') return 'insufficient_quota';
  if (code === 'rate_limited') return 'requests';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
