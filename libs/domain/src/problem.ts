/** Every refusal that a caller can get; the HTTP status of each is decided in the problem filter alone. */
export type ProblemCode =
  | 'invalid_request'
  | 'unauthenticated'
  | 'budget_exhausted'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'session_busy'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'unprocessable'
  | 'idempotency_mismatch'
  | 'rate_limited'
  | 'log_unavailable'
  | 'sealing_stopped'
  | 'unavailable'
  | 'overloaded'
  | 'internal';

export interface FieldError {
  /** e.g. `workflows[0].steps[2].depends_on[1]` */
  readonly path: string;
  readonly message: string;
}

/** A refusal: expected, and fit to be shown to the caller. */
export class Problem extends Error {
  override readonly name = 'Problem';
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly more: {
      readonly errors?: readonly FieldError[];
      readonly retryAfterS?: number;
      /** A finer code, for an interface that has more of them. */
      readonly reason?: string;
    } = {},
  ) {
    super(detail);
  }
}

export const invalid = (path: string, message: string): Problem =>
  new Problem('invalid_request', `${path}: ${message}`, { errors: [{ path, message }] });

export const notFound = (what: string): Problem => new Problem('not_found', `${what} does not exist`);

export function assertNever(value: never): never {
  throw new TypeError(`unexpected variant: ${JSON.stringify(value)}`);
}
