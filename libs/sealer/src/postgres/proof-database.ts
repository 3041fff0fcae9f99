import type { QueryConfig, QueryResult } from 'pg';
import type { TransactionClient } from '#postgres';

/** The PostgreSQL of the service. */
export interface ProofDatabase {
  /** Resolves when it can be used. */
  readonly ready: Promise<void>;
  query(config: QueryConfig, timeoutMs?: number): Promise<QueryResult>;
  transaction(work: (client: TransactionClient) => Promise<boolean>): Promise<boolean>;
}
