import type { QueryConfig, QueryResult } from 'pg';
import { Problem } from '#domain';
import type { Clock } from '#platform';
import { type TransactionClient, isMissingTable } from '#postgres';
import type { KnowledgeDatabase } from './ports.js';

/** How long a question waits for the tables at the start of the service. */
const PATIENCE_MS = 3_000;

/** The database with the tables in it: what asks while they are being made waits a little, and is told to come again. */
export class PreparedDatabase implements KnowledgeDatabase {
  readonly ready: Promise<void>;
  private readonly prepared = Promise.withResolvers<void>();
  private isPrepared = false;

  constructor(
    private readonly database: KnowledgeDatabase,
    private readonly clock: Clock,
  ) {
    this.ready = this.prepared.promise;
  }

  get isOpen(): boolean {
    return this.database.isOpen;
  }

  get isOwn(): boolean {
    return this.database.isOwn;
  }

  /** The tables are there. */
  tablesMade(): void {
    this.isPrepared = true;
    this.prepared.resolve();
  }

  query(config: QueryConfig, timeoutMs?: number): Promise<QueryResult> {
    return this.asking(() => this.database.query(config, timeoutMs));
  }

  transaction(work: (client: TransactionClient) => Promise<boolean>): Promise<boolean> {
    return this.asking(() => this.database.transaction(work));
  }

  private async asking<T>(ask: () => Promise<T>): Promise<T> {
    if (!this.isPrepared && this.database.isOpen) await this.wait();
    try {
      return await ask();
    } catch (error) {
      throw isMissingTable(error) ? NOT_YET : error;
    }
  }

  private async wait(): Promise<void> {
    const patience = this.clock.deadline(PATIENCE_MS);
    const late = Promise.withResolvers<void>();
    patience.signal.addEventListener('abort', () => late.resolve(), { once: true });
    await Promise.race([this.ready, late.promise]);
    patience[Symbol.dispose]();
  }
}

const NOT_YET = new Problem('unavailable', 'the index of the documents is being made', { retryAfterS: 5 });
