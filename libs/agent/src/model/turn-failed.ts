import type { ErrorCode } from '#domain';

/** The model could not be brought to answer. */
export class TurnFailed extends Error {
  override readonly name = 'TurnFailed';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly isRetryable: boolean,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}
