import type { EventLog } from '#event-log';

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
  for await (const [last] of log.readStream(KEY_STREAM, { backwards: true, limit: 1 }))
    return (last?.data as KeysMade | undefined) ?? null;
  return null;
}
