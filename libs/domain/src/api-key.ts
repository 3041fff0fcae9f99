import { typedReader } from './typed-event.js';

export const SCOPES = ['run', 'read', 'datastores', 'approve', 'metrics', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Events of an `apikey-` stream. */
export type ApiKeyEvent =
  | {
      readonly type: 'api_key_issued';
      readonly data: {
        readonly id: string;
        readonly name: string;
        /** SHA-256 of the key, hex. */
        readonly hash: string;
        readonly scopes: readonly Scope[];
        /** `whsec_…`, sealed with the master key. */
        readonly webhook_secret: string;
        /** ms since 1970; absent: never. */
        readonly expires_at?: number;
      };
    }
  | {
      readonly type: 'api_key_revoked';
      readonly data: {
        readonly id: string;
        /** What it has scheduled goes on firing; absent: it is paused. */
        readonly tasks?: 'keep';
      };
    };

export const apiKeyEvent = typedReader<ApiKeyEvent>({ api_key_issued: true, api_key_revoked: true });
