import { type TransactionClient, sql, statement } from '#postgres';
import type { KnowledgeDatabase } from '../ports.js';
import { type UploadRef, removeCounts, removePiece } from './counted-passages.js';
import { IN } from './tables.js';
import { markVacuumDue } from './vacuum.js';

const AT_ONCE = 100;

/**
 * Texts that are gone: nobody finds them or reads them on, and what was made of them is removed a piece at a time, because a
 * large one takes longer than a statement may. Whoever stops in the middle leaves the rest to the next.
 */
export class GoneTexts {
  constructor(private readonly database: KnowledgeDatabase) {}

  /** Removes them until the signal is aborted. Returns whether one went for good. */
  async removeAll(signal: AbortSignal): Promise<boolean> {
    let hasRemoved = false;
    for (;;) {
      const { rows } = await this.database.query(LIST_GONE());
      if (rows.length === 0) return hasRemoved;
      for (const text of rows as UploadRef[]) {
        if (!(await this.remove(text, signal, markVacuumDue))) return hasRemoved;
        hasRemoved = true;
      }
    }
  }

  /** @param last in the transaction that ends it. Returns whether it came to that before the signal was aborted. */
  async remove(
    of: UploadRef,
    signal?: AbortSignal,
    last?: (client: TransactionClient) => Promise<void>,
  ): Promise<boolean> {
    for (const step of [removePiece, removeCounts]) {
      do {
        if (signal?.aborted === true) return false;
      } while (await this.take(step, of));
    }
    await this.database.transaction(async (client) => {
      await client.query(DELETE_TEXT(of.upload));
      await last?.(client);
      return true;
    });
    return true;
  }

  private async take(step: typeof removePiece, of: UploadRef): Promise<boolean> {
    let isMore = false;
    await this.database.transaction(async (client) => {
      isMore = await step(client, of);
      return true;
    });
    return isMore;
  }
}

/** In the transaction that decides it. Returns those that there are. */
export async function markGone(
  client: TransactionClient,
  uploads: readonly string[],
): Promise<readonly UploadRef[]> {
  return (await client.query<UploadRef>(MARK(uploads))).rows;
}

/** All texts of a datastore, with its counts. */
export async function markDatastoreGone(client: TransactionClient, datastore: string): Promise<void> {
  await client.query(MARK_DATASTORE(datastore));
}

const MARK = statement(sql<readonly string[]>`
  UPDATE ${IN}.texts SET is_gone = true, passages = NULL WHERE upload = ANY (${(uploads) => uploads})
  RETURNING upload, datastore`);
const MARK_DATASTORE = statement(sql<string>`
  UPDATE ${IN}.texts SET is_gone = true, passages = NULL, counted = -1 WHERE datastore = ${(id) => id}`);
const LIST_GONE = statement(
  sql<void>`SELECT upload, datastore FROM ${IN}.texts WHERE is_gone ORDER BY upload LIMIT ${() => AT_ONCE}`,
);
const DELETE_TEXT = statement(sql<string>`DELETE FROM ${IN}.texts WHERE upload = ${(id) => id} AND is_gone`);
