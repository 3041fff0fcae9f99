import { usePolled } from '../api/polled.js';
import type { Page } from '../api/types.js';
import { auth } from '../app/session.js';
import type { KeyView } from '../keys/key.js';
import { may } from './may.js';

/** What keys are called, by id: of all where the key may list them, else of itself alone. */
export function useKeyNames(): (id: string) => string {
  const { data } = usePolled<Page<KeyView>>(may('admin') ? '/api-keys?limit=200' : null);
  const own = auth.value?.key ?? null;
  const names = new Map((data?.items ?? []).map(({ id, name }) => [id, name]));
  if (own !== null) names.set(own.id, own.name);
  return (id) => names.get(id) ?? id;
}
