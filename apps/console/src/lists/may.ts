import type { Scope } from '../api/types.js';
import { auth } from '../app/session.js';

/** Whether the key that is signed in has a scope; `admin` has all the others. */
export function may(scope: Scope): boolean {
  const scopes = auth.value?.key?.scopes ?? [];
  return scopes.includes(scope) || (scopes.includes('admin') && scope !== 'metrics');
}
