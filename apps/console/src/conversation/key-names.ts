import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { readPages } from '../api/list.js';
import { auth, may } from '../app/session.js';

interface NamedKey {
  readonly id: string;
  readonly name: string;
}

/** Names of keys by their ids, as far as the key that is signed in may know them. */
const names = signal<ReadonlyMap<string, string>>(new Map());
let askedFor: string | null = null;

/** It is not listed. */
const WELL_KNOWN: Readonly<Record<string, string>> = { key_root: 'first admin key' };

/** Keys beyond so many pages are called by their ids. */
const MOST_PAGES = 10;

/** Of a name that is shown beside a text. */
const MAX_NAME = 60;

/** Who a key is: its name, or its id where only that is known. */
export function useKeyNames(): (id: string) => string {
  const key = auth.value?.key ?? null;
  useEffect(() => {
    if (key === null || askedFor === key.id || !may('admin')) return;
    askedFor = key.id;
    void readPages<NamedKey>('/api-keys?limit=200', MOST_PAGES)
      .then(({ items }) => (names.value = new Map(items.map(({ id, name }) => [id, name]))))
      .catch(() => (askedFor = null));
  }, [key?.id]);
  return (id) => {
    const name = names.value.get(id) ?? (key?.id === id ? key.name : (WELL_KNOWN[id] ?? id));
    return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  };
}
