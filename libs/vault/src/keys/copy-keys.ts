import { LogRefused } from '#event-log';

/** Tables of a key store, the same in each kind: the first column is the primary key. `state` is last: with it a copy is whole. */
export const KEY_TABLES = {
  keys: ['id', 'master', 'wrapped', 'destroyed_at'],
  below: ['id', 'parent'],
  signed: ['origin', 'seal', 'text'],
  state: ['one', 'store_id', 'master', 'root', 'generation', 'successor_of', 'successor'],
} as const;

export type KeyTable = keyof typeof KEY_TABLES;
export type KeyRow = Readonly<Record<string, string | number | Uint8Array | null>>;

/** The rows of a key store as they stand there: to be copied into another kind of store, while nobody works on either. */
export abstract class KeyRows {
  /** Some rows in the order of their primary keys, from behind one on. */
  abstract page(table: KeyTable, after: string | number): Promise<readonly KeyRow[]>;
  /** Durable when it resolves. A row that is there is replaced. */
  abstract put(table: KeyTable, rows: readonly KeyRow[]): Promise<void>;
  abstract close(): Promise<void>;
}

/** The statement that writes one row. @param mark of the n-th parameter, from 1 on */
export function putStatement(into: string, table: KeyTable, mark: (n: number) => string): string {
  const [key, ...others] = KEY_TABLES[table];
  const marks = [key, ...others].map((_, at) => mark(at + 1)).join(', ');
  const sets = others.map((column) => `${column} = excluded.${column}`).join(', ');
  return `INSERT INTO ${into} (${[key, ...others].join(', ')}) VALUES (${marks}) ON CONFLICT (${key}) DO UPDATE SET ${sets}`;
}

/**
 * Copies a key store with all that it knows, but how far erasures were carried out: that belongs to the log, and all of
 * them are carried out again. Broken off, it is begun again. Returns how many keys were copied.
 * @throws LogRefused for a target that is another store, or the same at another time: nothing is changed then
 */
export async function copyKeys(from: KeyRows, to: KeyRows): Promise<number> {
  const [[state], [there]] = await Promise.all([from.page('state', 0), to.page('state', 0)]);
  if (state === undefined) return 0;
  if (there !== undefined) {
    const isSame = (column: string): boolean => String(state[column]) === String(there[column]);
    if (['store_id', 'master', 'generation'].every(isSame)) return 0;
    throw new LogRefused('the key store of the target is begun already: put it away, so that it is empty');
  }
  const keys = await copyTable(from, to, 'keys');
  for (const table of ['below', 'signed', 'state'] as const) await copyTable(from, to, table);
  return keys;
}

async function copyTable(from: KeyRows, to: KeyRows, table: KeyTable): Promise<number> {
  const [key] = KEY_TABLES[table];
  let after: string | number = table === 'state' ? 0 : '';
  for (let copied = 0; ;) {
    const rows = await from.page(table, after);
    const last = rows.at(-1);
    if (last === undefined) return copied;
    await to.put(table, rows);
    after = last[key] as string | number;
    copied += rows.length;
  }
}
