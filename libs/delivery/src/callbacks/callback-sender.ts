export interface CallbackRequest {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `traceparent` of what caused the run, as the log holds it. */
  readonly cause?: string | undefined;
}

export type SendOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | null;
      /** Its beginning. */
      readonly body: string;
    }
  /** `reason` is fit for the caller. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Sends one request to a receiver. Port: production speaks HTTP. */
export abstract class CallbackSender {
  /**
   * One attempt, bounded in time and in what it reads of the answer; the receiver's address is looked at anew. Nothing
   * that the receiver does is thrown. @throws the signal's reason once it is aborted
   */
  abstract send(request: CallbackRequest, signal: AbortSignal): Promise<SendOutcome>;
}
