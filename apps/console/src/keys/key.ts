import type { Scope } from '../api/types.js';

/** A key of `GET /api-keys`: everything but the key itself. */
export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly project: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

/** The answer that a new key is shown in, once. */
export interface NewKey {
  readonly id: string;
  readonly key: string;
  readonly webhook_secret: string;
  readonly name: string;
}

export interface SignInLink {
  readonly url: string;
  readonly expires_at: string;
}

/** What a scope lets a key do, in words. */
export const SCOPES: readonly (readonly [Scope, string])[] = [
  ['run', 'start and cancel runs, and answer what they ask'],
  ['read', 'read runs, sessions, usage'],
  ['approve', 'decide on approvals'],
  ['datastores', 'make and fill datastores'],
  ['metrics', 'read the figures of all projects'],
  ['admin', 'all of these but metrics, and keys, budgets, erasure'],
];
