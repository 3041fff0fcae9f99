import { assertNever } from '#domain';
import type { HttpFailure } from '#http';

/**
 * Why a request to an MCP server has no result.
 * `unsent`: it did not leave this machine; `session`: the server does not know the session (any more) and did nothing;
 * `lost`: it left, and no answer came: it may have been carried out; `refused`: the server said no;
 * `nonsense`: what came back is not MCP; `unusable`: it cannot be used here, and would not be if it came once more. After
 * the last two, too, it may have been carried out.
 */
export type McpFailureKind = 'unsent' | 'session' | 'lost' | 'refused' | 'nonsense' | 'unusable';

/** An error of JSON-RPC 2.0. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export class McpFailure extends Error {
  override readonly name = 'McpFailure';
  constructor(
    readonly kind: McpFailureKind,
    /** What happened, as the end of "the server …". May hold text of the server's: clean it before it is shown. */
    message: string,
    /** The HTTP status, if that is what refused. */
    readonly status?: number,
    readonly rpc?: RpcError,
  ) {
    super(message);
  }

  /** An error that came as the answer. */
  static ofError(rpc: RpcError): McpFailure {
    return new McpFailure('refused', `said: ${rpc.message}`, undefined, rpc);
  }
}

const CONNECTION_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ENOTFOUND: 'has a name that cannot be resolved',
  EAI_AGAIN: 'has a name that cannot be resolved',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'did not take the connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'did not take the connection in time',
};

export const tooLarge = (): McpFailure => new McpFailure('unusable', 'gave an answer that is too large');

export const lost = (): McpFailure =>
  new McpFailure('lost', 'broke the connection before its answer was complete');

/** In our own words: the errors' hold addresses. */
export function failureOfHttp({ kind, isSent, cause }: HttpFailure): McpFailure {
  switch (kind) {
    case 'forbidden':
      return new McpFailure('unsent', 'is at an address that this service may not reach (see EGRESS_ALLOW)');
    case 'unresolved':
      return new McpFailure('unsent', 'has a name that cannot be resolved');
    case 'too_large':
      return tooLarge();
    case 'aborted':
      return new McpFailure(isSent ? 'lost' : 'unsent', 'is not waited for any longer');
    case 'silent':
    case 'connection':
      return isSent ? lost() : failureToConnect(cause as Error);
    default:
      return assertNever(kind);
  }
}

function failureToConnect(error: Error): McpFailure {
  const code = codeOf(error);
  const known = CONNECTION_ERRORS[code];
  if (known !== undefined) return new McpFailure('unsent', known);
  const isTls = /CERT|TLS|SSL|SIGNATURE|EPROTO/.test(code);
  return new McpFailure(
    'unsent',
    isTls ? `has no certificate that can be trusted (${code})` : 'cannot be connected to',
  );
}

function codeOf(error: Error): string {
  const { code, errors } = error as Error & { code?: unknown; errors?: readonly Error[] };
  // Several addresses were tried: the last word counts.
  const last = errors?.at(-1);
  return typeof code === 'string' ? code : last ? codeOf(last) : '';
}
