import type { ProjectId, Revision } from '../ids.js';
import { typedReader } from '../typed-event.js';

export const DATASTORE_TYPES = ['database', 'documents'] as const;
export type DatastoreType = (typeof DATASTORE_TYPES)[number];

/** Events of a `datastore-` stream. */
export type DatastoreEvent =
  | {
      readonly type: 'datastore_created';
      readonly data: {
        readonly name: string;
        readonly type: DatastoreType;
        /**
         * Of a database: its connection string, sealed with the datastore's key; in older versions with that of the whole
         * installation.
         */
        readonly connection?: string;
        /** The caller's own queries may write. */
        readonly is_writable?: true;
        /** ms since 1970; only where the same is said again, under another key than before. */
        readonly created_at?: number;
      };
    }
  | { readonly type: 'datastore_deleted'; readonly data: Erased };

export const datastoreEvent = typedReader<DatastoreEvent>({
  datastore_created: true,
  datastore_deleted: true,
});

/** In the clear: what can be read no more. */
export interface Erased {
  /** Ids of the keys that are destroyed with it; absent: an older version wrote it. */
  readonly keys?: readonly string[];
}

/** What a run's request says of the knowledge that the agent may use. */
export interface DatastoreRef {
  readonly id: string;
  /** The name under which the agent knows it. */
  readonly name: string;
}

/** A ready-made action on a database; `?` stand for values that the agent gives. */
export interface DatastoreQuery {
  readonly name: string;
  readonly description: string;
  readonly query: string;
}

export interface Datastore {
  readonly id: string;
  readonly project: ProjectId;
  readonly name: string;
  readonly type: DatastoreType;
  /** Sealed; null: it has none. */
  readonly connection: string | null;
  readonly isWritable: boolean;
  /** ms since 1970 */
  readonly createdAt: number;
  /** Of its last event. */
  readonly revision: Revision;
  /** Ids of the keys that its events are sealed with. What comes is sealed with the last. */
  readonly keys: readonly string[];
}

/** An event as it is read back, as far as the folds look at it. */
export type StoredFact<E> = E & StoredAt;

export interface StoredAt {
  readonly time: number;
  readonly revision: Revision;
  readonly meta: { readonly project: ProjectId; readonly keyId?: string | undefined };
  /** Its data are gone. */
  readonly isErased?: boolean;
}

/** The datastore that the events of its stream tell of; null: there is none, or none any more. */
export function foldDatastore(id: string, facts: readonly StoredFact<DatastoreEvent>[]): Datastore | null {
  const [first] = facts;
  if (first?.type !== 'datastore_created') return null;
  if (facts.some(({ type }) => type === 'datastore_deleted')) return null;
  const created = facts
    .filter((fact) => fact.type === 'datastore_created')
    .findLast(({ isErased }) => !isErased);
  if (created === undefined) return null;
  const { name, type, connection, is_writable } = created.data;
  return {
    id,
    project: first.meta.project,
    name,
    type,
    connection: connection ?? null,
    isWritable: is_writable === true,
    createdAt: first.time,
    revision: facts.length - 1,
    keys: facts.reduce<readonly string[]>(withKeyOf, []),
  };
}

/** The ids, and that of the key that the event is sealed with as the last one. */
export function withKeyOf(
  keys: readonly string[],
  { meta: { keyId } }: Pick<StoredAt, 'meta'>,
): readonly string[] {
  if (keyId === undefined || keys.at(-1) === keyId) return keys;
  return [...keys.filter((id) => id !== keyId), keyId];
}
