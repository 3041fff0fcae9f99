export type HttpFailureKind =
  /** The egress guard does not let it out; the message is fit for the caller. */
  | 'forbidden'
  /** The name has no address now; the message is fit for the caller. */
  | 'unresolved'
  /** There is no connection, or none any more: `cause` is the error of undici or of the socket. */
  | 'connection'
  /** Nothing came for `limitMs`. */
  | 'silent'
  | 'too_large'
  /** Nobody waits for it any longer: `cause` is the signal's reason. */
  | 'aborted';

/** Why an exchange ended before its answer was complete. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly limitMs: number;

  /** @param isSent whether the request had a connection to leave by; false: the other side knows nothing of it */
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
