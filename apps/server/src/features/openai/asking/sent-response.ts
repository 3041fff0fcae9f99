import type { ResponseRequest } from '#openai-face';

/** A request for a response, as it came. */
export interface SentResponse {
  readonly asked: ResponseRequest;
  readonly body: unknown;
  /** Of `Idempotency-Key`. */
  readonly key: string | undefined;
  /** What keys belong to. */
  readonly operation: 'create_response' | 'create_completion';
}
