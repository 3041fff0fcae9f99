export type HttpFailureKind =
  /** Refused by the egress guard; the message may be shown to the caller. */
  | 'forbidden'
  /** The host name does not resolve; the message may be shown to the caller. */
  | 'unresolved'
  /** No connection, or it broke: `cause` is the error of undici or the socket. */
  | 'connection'
  /** Timeout: nothing arrived for `limitMs`. */
  | 'silent'
  | 'too_large'
  /** Aborted by the caller: `cause` is the signal's reason. */
  | 'aborted';

/** Why an exchange ended before its response was complete. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly limitMs: number;

  /** @param isSent whether the request may have reached the other side; false: certainly not */
  constructor(
    readonly kind: HttpFailureKind,
    readonly isSent: boolean,
    message: string,
    { cause, limitMs = Infinity }: { readonly cause?: unknown; readonly limitMs?: number } = {},
  ) {
    super(message, { cause });
    this.limitMs = limitMs;
  }
}
