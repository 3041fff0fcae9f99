import type { TransactionClient } from '#postgres';
import { FROM_2 } from './tables.js';

/** From version 2. Pictures of a large archive take days to read again: what can stay stays. */
export async function upgradeFrom2(client: TransactionClient): Promise<void> {
  for (const step of FROM_2) await client.query(step);
}
