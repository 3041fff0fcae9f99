import type { ProjectId } from '#domain';
import type { QueryConfig, QueryResult } from 'pg';
import type { EventMeta } from '#event-log';
import type { TransactionClient } from '#postgres';

/** The PostgreSQL of the service, in which the passages stand. */
export interface KnowledgeDatabase {
  /** Resolves when it can be used; rejects where nothing but the operator can help. */
  readonly ready: Promise<void>;
  readonly isOpen: boolean;
  /** Whether the server is our own, with nothing in it but what is ours. */
  readonly isOwn: boolean;
  query(config: QueryConfig, timeoutMs?: number): Promise<QueryResult>;
  /** Commits when `work` returns, unless it returns false. What `work` throws comes out as it is. */
  transaction(work: (client: TransactionClient) => Promise<boolean>): Promise<boolean>;
}

/** Who does something, for the envelopes of its events. */
export interface Author {
  readonly project: ProjectId;
  /** Key id. */
  readonly actor: string;
  readonly correlationId?: string;
}

export const metaOf = ({ project, actor, correlationId }: Author): EventMeta => ({
  schemaVersion: 1,
  project,
  actor,
  ...(correlationId === undefined ? {} : { correlationId }),
});

export interface CreationRequest {
  readonly project: ProjectId;
  readonly operation: 'create_datastore' | 'index_document';
  readonly key: string;
  /** What must be the same for the request to be a repeat. */
  readonly payload: unknown;
}

/** What an `Idempotency-Key` has made. */
export interface CreationKeys {
  /** @throws Problem idempotency_mismatch */
  findResource(request: CreationRequest): Promise<string | null>;
  /** The id that the key stands for from now on: another's, if it was faster. @throws Problem idempotency_mismatch */
  useResource(request: CreationRequest, meta: EventMeta, resource: string): Promise<string>;
  idFor(request: CreationRequest): string;
}
