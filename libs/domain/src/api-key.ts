export const SCOPES = ['run', 'read', 'datastores', 'admin'] as const;
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
      };
    }
  | { readonly type: 'api_key_revoked'; readonly data: { readonly id: string } };
