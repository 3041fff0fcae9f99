import type { EventLog, Position } from '#event-log';
import type { Background } from '#platform';
import type { KeyRecord, KeyTable } from './key-table.js';

const PREFIX = 'apikey-';

/** The keys that were valid at a position of the log, so that not all of it need be read. */
export interface KeySnapshot {
  readonly keys: readonly KeyRecord[];
  readonly position: Position;
}

export const NO_SNAPSHOT: KeySnapshot = { keys: [], position: 0 };

/**
 * Fills the table from a snapshot and the log behind it; resolves when it holds all that was on the log when this was
 * called. If others write to the log too, their keys and revocations are then followed until the signal is aborted.
 */
export async function followKeys(
  table: KeyTable,
  ports: { readonly log: EventLog; readonly background: Background },
  snapshot: KeySnapshot,
  signal: AbortSignal,
): Promise<void> {
  for (const key of snapshot.keys) table.add(key);
  const { log, background } = ports;
  const head = await log.head();
  if (snapshot.position >= head && log.exclusive) return;
  const caughtUp = Promise.withResolvers<void>();
  if (snapshot.position >= head) caughtUp.resolve();
  background.start('api keys', async () => {
    try {
      for await (const batch of log.subscribeAll({ after: snapshot.position, prefixes: [PREFIX], signal })) {
        for (const event of batch.events) table.apply(event);
        if (batch.position < head) continue;
        caughtUp.resolve();
        if (log.exclusive) return;
      }
      caughtUp.reject(new Error('the reading of the keys was stopped'));
    } catch (error) {
      caughtUp.reject(error);
      throw error;
    }
  });
  await caughtUp.promise;
}
