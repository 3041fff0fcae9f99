import { LogRefused, ContentChanged, ContentKey } from '#event-log';
import type { KeyStore, StoredKey } from './key-store.js';
import { wrapped } from './key-vault.js';

const BATCH = 1_000;

/**
 * Re-wraps all keys of a store with another master key, online. Resumable with the same two keys. Running services
 * learn the new key from the store; their next start needs it configured.
 * @returns number of keys wrapped anew
 * @throws LogRefused where `from` is not the store's master key; nothing is changed then
 */
export async function rotateMaster(store: KeyStore, from: ContentKey, to: ContentKey): Promise<number> {
  const state = await store.state();
  if (state === null) throw new LogRefused('there is no key store yet: nothing is wrapped with a master key');
  if (from.id === to.id) throw new LogRefused('the new master key is the one that is in use');
  if (state.master === from.id) {
    await refuseThird(store, from);
    const root = openWith(from, state.root, 'root');
    const successor = { of: from.id, wrapped: from.seal(to.bytes, `master ${to.id}`) };
    await store.replaceMaster({ master: to.id, root: to.seal(root, 'root'), successor });
  } else if (state.master !== to.id || (state.successor !== null && state.successor.of !== from.id)) {
    throw new LogRefused('the master key that was given is not the one of the key store');
  } else openWith(to, state.root, 'root');
  let count = 0;
  for (;;) {
    const keys = await store.notUnder(to.id, BATCH);
    if (keys.length === 0) return count;
    await store.rewrap(keys.map((key) => rewrapped(key, from, to)));
    count += keys.length;
  }
}

/** What another change left under a third key would be opened by nobody who knows these two. */
async function refuseThird(store: KeyStore, from: ContentKey): Promise<void> {
  const [left] = await store.notUnder(from.id, 1);
  if (left !== undefined)
    throw new LogRefused(
      `an earlier change of the master key was broken off (${left.id} is under ${left.master}): ` +
        'go on with it, with its two keys, before the next one',
    );
}

function rewrapped({ id, master, wrapped: bytes }: StoredKey, from: ContentKey, to: ContentKey): StoredKey {
  if (master !== from.id || bytes === null)
    throw new LogRefused(`the key ${id} is wrapped with a third master key (${master})`);
  return wrapped(new ContentKey(id, openWith(from, bytes, `key ${id}`)), to);
}

function openWith(key: ContentKey, bytes: Buffer, context: string): Buffer {
  try {
    return key.open(bytes, context);
  } catch (error) {
    if (!(error instanceof ContentChanged)) throw error;
    throw new LogRefused('the master key that was given is not the one of the key store', { cause: error });
  }
}
