import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

interface Row {
  readonly type: string;
  readonly position: number;
  readonly data: Uint8Array;
}

/** Turns a bit of the sealed data of a session's events, in the log of a service that is stopped. Returns how many there were. */
export function damageEvents(dataDir: string, session: string, types: readonly string[]): number {
  return onFile(join(dataDir, 'log', 'log.db'), (db) => {
    const rows = db
      .prepare(
        `SELECT e.type AS type, e.position AS position, e.data AS data FROM events e
         JOIN streams s ON s.id = e.stream WHERE s.name = ? ORDER BY e.position`,
      )
      .all(`session-${session}`) as unknown as Row[];
    const write = db.prepare('UPDATE events SET data = ? WHERE position = ?');
    const damaged = rows.filter(({ type }) => types.includes(type));
    for (const { position, data } of damaged) {
      const bytes = Uint8Array.from(data);
      bytes[bytes.length - 1]! ^= 1;
      write.run(bytes, position);
    }
    return damaged.length;
  });
}

/** Takes the key of a session out of the key store, as if it had never been there: no sign of an erasure is left. */
export function loseKey(dataDir: string, session: string): void {
  const meta = onFile(join(dataDir, 'log', 'log.db'), (db) =>
    db
      .prepare(
        'SELECT e.meta AS meta FROM events e JOIN streams s ON s.id = e.stream WHERE s.name = ? LIMIT 1',
      )
      .get(`session-${session}`),
  );
  const { keyId } = JSON.parse(String(meta?.['meta'])) as { keyId: string };
  const gone = onFile(join(dataDir, 'keys', 'keys.db'), (db) =>
    db.prepare('DELETE FROM keys WHERE id = ?').run(keyId),
  );
  if (gone.changes !== 1) throw new Error(`${keyId} was not in the key store`);
}

function onFile<T>(path: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
}
