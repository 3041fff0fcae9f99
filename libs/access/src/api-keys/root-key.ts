import { Problem } from '#domain';
import { type KeyRecord, OPERATORS_SCOPE, hashKey } from './key-table.js';
import type { Principal } from './principal.js';

/** The first admin key has no other id, so that there is one at most. */
export const ROOT_KEY_ID = 'key_root';
const DEFAULT_PROJECT = 'default';

/** @param createdAt ms since 1970 */
export const rootRecord = (key: string, webhookSecret: string, createdAt = 0): KeyRecord => ({
  id: ROOT_KEY_ID,
  name: 'first admin key',
  hash: hashKey(key),
  scopes: ['admin'],
  project: DEFAULT_PROJECT,
  webhookSecret,
  createdAt,
  expiresAt: null,
});

/** The first admin key is the operator's: no key sees or revokes it. */
export const administers = (caller: Principal, key: KeyRecord): boolean =>
  key.id !== ROOT_KEY_ID && (caller.isRoot || key.project === caller.project);

/** A link is as good as its key: by it nobody may come to a scope that they have not, and could not give out. */
export const mayLinkTo = ({ isRoot, scopes }: Principal, key: KeyRecord): boolean =>
  isRoot || scopes.has(OPERATORS_SCOPE) || !key.scopes.includes(OPERATORS_SCOPE);

export const operatorsScope = (): Problem =>
  new Problem('forbidden', `only the first admin key gives the scope ${OPERATORS_SCOPE}`);
