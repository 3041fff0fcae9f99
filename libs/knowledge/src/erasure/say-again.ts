import { type Datastore, datastoreStream } from '#domain';
import { SealBroken } from '#platform';
import type { KnowledgeStreams } from '../streams.js';
import { type DatastoreKeys, isOwnSeal } from './datastore-keys.js';

/** `meta.actor` of events that state a datastore or document once more, sealed with another key. */
export const RESEALER = 'annals';

interface SayAgainPorts {
  readonly streams: KnowledgeStreams;
  readonly datastoreKeys: DatastoreKeys;
}

/**
 * Key rotation of a datastore: appends its current state, sealed with a new key. Returns the key; null: the datastore
 * has changed meanwhile, nothing was written. @throws LogUnavailable
 */
export async function sayDatastoreAgain(
  { id, project, name, type, connection, isWritable, createdAt, revision }: Datastore,
  { streams, datastoreKeys }: SayAgainPorts,
): Promise<string | null> {
  const key = await datastoreKeys.draw();
  const data = {
    name,
    type,
    ...(connection === null ? {} : { connection: await resealed(id, key, connection, datastoreKeys) }),
    ...(isWritable ? { is_writable: true as const } : {}),
    created_at: createdAt,
  };
  const by = { project, actor: RESEALER };
  const said = [{ type: 'datastore_created', data }] as const;
  const { kind } = await streams.append(datastoreStream(id), said, by, revision, key);
  return kind === 'appended' ? key : null;
}

/** One that cannot be opened, e.g. after a master key was lost, stays what it was. */
async function resealed(id: string, key: string, sealed: string, keys: DatastoreKeys): Promise<string> {
  try {
    return await keys.seal(id, key, await keys.open(id, sealed));
  } catch (error) {
    if (!isOwnSeal(sealed) && error instanceof SealBroken) return sealed;
    throw error;
  }
}
