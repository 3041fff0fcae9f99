/** A key as `GET /api-keys` lists it. */
export interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly project: string;
  readonly created_at: string | null;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

/** What `POST /api-keys` takes. */
export interface KeyWish {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly project?: string;
  readonly expires_at?: string;
}

/** What `POST /api-keys` answers, once. */
export interface MadeKey extends Omit<ListedKey, 'expires_at' | 'last_used_at'> {
  readonly key: string;
  readonly webhook_secret: string;
}

/** The API keys, wherever they are administered. Each call @throws CommandRefused or Problem, of one line. */
export interface Keyring {
  create(wish: KeyWish): Promise<MadeKey>;
  list(): Promise<readonly ListedKey[]>;
  revoke(id: string, keepsTasks: boolean): Promise<void>;
  close(): Promise<void>;
}
