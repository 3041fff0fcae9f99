import type { ErrorCode } from './public-event.js';

export type RunEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'cancelled' }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly isRetryable: boolean;
    };
