import { type EventLog, LogRefused, lastEventOf } from '#event-log';
import type { StoreState } from './key-store.js';

/** Stream that records key batches, to detect a key store older than the log (a wrong backup). */
export const KEY_STREAM = 'keystore';

export const WRONG_MASTER =
  'ANNALS_MASTER_KEY must be the key that the key store was begun with or rotated to';

export interface KeysMade {
  readonly store: string;
  readonly generation: number;
}

/**
 * What the log records of its keys; null: nothing.
 * @throws LogUnavailable
 */
export async function keysMade(log: Pick<EventLog, 'readStream'>): Promise<KeysMade | null> {
  const last = await lastEventOf(log, KEY_STREAM);
  return (last?.data as KeysMade | undefined) ?? null;
}

/** @throws LogRefused where the key store is not the one, or not as new as the one, that the log was sealed with */
export function refuseStore(state: StoreState | null, made: KeysMade | null): void {
  if (made === null) return;
  const advice = 'restore the key store from its newest backup';
  if (state === null)
    throw new LogRefused(`the key store is missing, but the log was sealed with one: ${advice}`);
  if (state.storeId !== made.store)
    throw new LogRefused(
      `the key store is another installation's (${state.storeId}); the log was sealed with ${made.store}: ${advice}`,
    );
  if (state.generation < made.generation)
    throw new LogRefused(
      `the key store is older than the log (batch ${state.generation} of ${made.generation}): ${advice}`,
    );
}
