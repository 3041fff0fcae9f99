import type { EventLog } from '#event-log';

/** Where the log says which keys were made, so that a store that is older than the log is known. */
export const KEY_STREAM = 'keystore';

export interface KeysMade {
  readonly store: string;
  readonly generation: number;
}

/** What the log knows of the keys that were made for it; null: nothing was. @throws LogUnavailable */
export async function keysMade(log: Pick<EventLog, 'readStream'>): Promise<KeysMade | null> {
  for await (const [last] of log.readStream(KEY_STREAM, { backwards: true, limit: 1 }))
    return (last?.data as KeysMade | undefined) ?? null;
  return null;
}
