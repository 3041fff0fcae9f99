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
    }
  | SignInEvent;

/** How somebody comes into the console as a key, and leaves it. */
export type SignInEvent =
  | {
      readonly type: 'sign_in_link_made';
      readonly data: LinkRef & {
        /** Where it leads, below `/console`. */
        readonly to: string;
        /** ms since 1970 */
        readonly until: number;
        readonly mark: string;
      };
    }
  | { readonly type: 'sign_in_link_used'; readonly data: LinkRef }
  | {
      readonly type: 'console_signed_in';
      readonly data: {
        /** Of the key. */
        readonly id: string;
        /** SHA-256 of the cookie, hex. */
        readonly cookie: string;
        /** What its requests must say besides, sealed with the master key. */
        readonly csrf: string;
        readonly until: number;
        readonly mark: string;
      };
    }
  | { readonly type: 'console_signed_out'; readonly data: { readonly id: string; readonly cookie: string } };

interface LinkRef {
  /** Of the key that it stands for. */
  readonly id: string;
  /** SHA-256 of the link's token, hex. */
  readonly link: string;
}

export const apiKeyEvent = typedReader<ApiKeyEvent>({
  api_key_issued: true,
  api_key_revoked: true,
  sign_in_link_made: true,
  sign_in_link_used: true,
  console_signed_in: true,
  console_signed_out: true,
});
