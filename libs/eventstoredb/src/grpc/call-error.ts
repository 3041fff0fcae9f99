import type { IncomingHttpHeaders } from 'node:http2';
import { percentDecoded } from '#platform';

/** The codes of gRPC that this adapter knows apart. */
export const CODE = {
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  permissionDenied: 7,
  unimplemented: 12,
  aborted: 10,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** A call that failed, by what the server, the network or this side said. */
export class CallError extends Error {
  override readonly name = 'CallError';

  constructor(
    readonly code: number,
    message: string,
    /** EventStoreDB's own name for it, e.g. `not-leader`. */
    readonly exception?: string,
    /** The leader that a node names which is not. */
    readonly leader?: Endpoint,
  ) {
    super(message);
  }
}

/** What the last headers of a call say; null for success. */
export function outcomeOf(headers: IncomingHttpHeaders, httpStatus: number): CallError | null {
  const status = headers['grpc-status'];
  if (status === undefined) return new CallError(codeOfHttp(httpStatus), `HTTP status ${httpStatus}`);
  const code = Number(status);
  if (code === 0) return null;
  const host = headers['leader-endpoint-host'];
  const port = Number(headers['leader-endpoint-port']);
  return new CallError(
    code,
    textOf(headers['grpc-message']),
    headers['exception']?.toString(),
    host === undefined || !Number.isInteger(port) ? undefined : { address: String(host), port },
  );
}

/** The message travels in percent encoding. */
const textOf = (message: string | string[] | undefined): string => percentDecoded(String(message ?? ''));

/** As the specification of gRPC maps what is not an answer of gRPC (http-grpc-status-mapping). */
function codeOfHttp(status: number): number {
  switch (status) {
    case 400:
      return CODE.internal;
    case 401:
      return CODE.unauthenticated;
    case 403:
      return CODE.permissionDenied;
    case 404:
      return CODE.unimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return CODE.unavailable;
    default:
      return CODE.unknown;
  }
}
