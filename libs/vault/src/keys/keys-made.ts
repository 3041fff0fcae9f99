import { type EventLog, lastEventOf } from '#event-log';

/** Stream that records key batches, to detect a key store older than the log (a wrong backup). */
export const KEY_STREAM = 'keystore';

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
