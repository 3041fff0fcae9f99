export const DATASTORE_TYPES = ['database', 'documents'] as const;
export type DatastoreType = (typeof DATASTORE_TYPES)[number];

/** Events of a `datastore-` stream. */
export type DatastoreEvent =
  | {
      readonly type: 'datastore_created';
      readonly data: {
        readonly name: string;
        readonly type: DatastoreType;
        /** Of a database: its connection string, sealed with the master key. */
        readonly connection?: string;
        /** The caller's own queries may write. */
        readonly is_writable?: true;
      };
    }
  | { readonly type: 'datastore_deleted'; readonly data: Readonly<Record<string, never>> };

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
  readonly project: string;
  readonly name: string;
  readonly type: DatastoreType;
  /** Sealed; null: it has none. */
  readonly connection: string | null;
  readonly isWritable: boolean;
  /** ms since 1970 */
  readonly createdAt: number;
  /** Of its last event. */
  readonly revision: number;
}

/** An event as it is read back, as far as the folds look at it. */
export interface StoredFact<E extends { readonly type: string; readonly data: object }> {
  readonly type: E['type'];
  readonly data: E['data'];
  readonly time: number;
  readonly revision: number;
  readonly meta: { readonly project: string };
}

/** The datastore that the events of its stream tell of; null: there is none, or none any more. */
export function foldDatastore(id: string, facts: readonly StoredFact<DatastoreEvent>[]): Datastore | null {
  const [first] = facts;
  if (first?.type !== 'datastore_created') return null;
  if (facts.some(({ type }) => type === 'datastore_deleted')) return null;
  const { name, type, connection, is_writable } = first.data as CreatedData;
  return {
    id,
    project: first.meta.project,
    name,
    type,
    connection: connection ?? null,
    isWritable: is_writable === true,
    createdAt: first.time,
    revision: facts.length - 1,
  };
}

type CreatedData = Extract<DatastoreEvent, { type: 'datastore_created' }>['data'];
