import type { Problem } from './types.js';

/** The service refused a request: what it said, as `application/problem+json`. */
export class AnnalsRefused extends Error {
  override readonly name = 'AnnalsRefused';

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** null where something before the service answered, such as a proxy. */
    readonly problem: Problem | null,
    /** How long `Retry-After` asks to wait, in milliseconds. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(problem === null ? `answered with ${status}` : `${problem.code}: ${problem.detail}`);
  }
}

/** There was no answer for as long as the client is patient. `cause` is the last failure. */
export class AnnalsUnreachable extends Error {
  override readonly name = 'AnnalsUnreachable';
}

/** A callback that is not to be believed: its signature is wrong, or it is too old. */
export class CallbackRefused extends Error {
  override readonly name = 'CallbackRefused';
}

/** Statuses of a service, or of a proxy before it, that may answer in a while. */
const PASSING = new Set([408, 425, 429, 502, 503, 504]);

/** Whether the same request may be answered later: no answer, or one that passes. */
export function mayPass(error: unknown): boolean {
  return error instanceof AnnalsRefused ? PASSING.has(error.status) : error instanceof ConnectionLost;
}

/** One attempt got no answer, or one that broke off. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}
