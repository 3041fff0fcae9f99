import { raw, sql, statement, type Sql } from '#postgres';
import type { ErasureCheckpoint, ErasureKind, SignedState, StoredKey, StoreState } from '../key-store.js';

export const SCHEMA = 'annals_keys';
const IN = raw(SCHEMA);

type Keys = readonly StoredKey[];
type Ids = readonly string[];
type Succession = Pick<StoreState, 'master' | 'root' | 'successor'>;

const itself = <T>(value: T): T => value;

/** Keys as rows, from one array a column. */
const ROWS_OF = sql<Keys>`unnest(
  ${(keys) => keys.map(({ id }) => id)}::text[],
  ${(keys) => keys.map(({ master }) => master)}::text[],
  ${(keys) => keys.map(({ wrapped }) => wrapped)}::bytea[])`;

export const BEGIN = statement(sql<StoreState>`
  INSERT INTO ${IN}.state (one, store_id, master, root, generation) VALUES (1, ${({ storeId }) => storeId},
    ${({ master }) => master}, ${({ root }) => root}, ${({ generation }) => generation})
  ON CONFLICT DO NOTHING`);

export const READ = statement(
  sql<Ids>`SELECT id, master, wrapped FROM ${IN}.keys WHERE id = ANY (${itself})`,
);

/** The input is the master key under which the store must be. */
export const NEXT_GENERATION = statement(sql<string>`
  UPDATE ${IN}.state SET generation = generation + 1 WHERE master = ${itself} RETURNING generation`);

export const ADD = statement(
  sql<Keys>`INSERT INTO ${IN}.keys (id, master, wrapped) SELECT * FROM ${ROWS_OF}`,
);

export const DESTROY = statement(sql<{ readonly ids: Ids; readonly at: number }>`
  INSERT INTO ${IN}.keys AS k (id, master, wrapped, destroyed_at)
  SELECT id, '', NULL, ${({ at }) => at} FROM unnest(${({ ids }) => ids}::text[]) AS id
  ON CONFLICT (id) DO UPDATE SET wrapped = NULL, destroyed_at = coalesce(k.destroyed_at, EXCLUDED.destroyed_at)`);

export const PLACE_BELOW = statement(sql<{ readonly id: string; readonly parent: string }>`
  WITH p AS (SELECT id FROM ${IN}.keys WHERE id = ${({ parent }) => parent} AND wrapped IS NOT NULL FOR SHARE),
    placed AS (INSERT INTO ${IN}.below (id, parent) SELECT ${({ id }) => id}, id FROM p ON CONFLICT DO NOTHING)
  SELECT count(*)::int AS parents FROM p`);

export const BELOW = statement(sql<string>`SELECT id FROM ${IN}.below WHERE parent = ${itself} ORDER BY id`);

export const REMOVE = statement(
  sql<Ids>`DELETE FROM ${IN}.keys WHERE id = ANY (${itself}) AND wrapped IS NOT NULL`,
);

export const PLACE_OF = statement(
  sql<ErasureKind>`SELECT log_id, position FROM ${IN}.places WHERE kind = ${itself}`,
);

interface Place<Of> extends ErasureCheckpoint {
  readonly of: Of;
}

const save = <Of>(table: Sql<unknown>, key: Sql<unknown>): Sql<Place<Of>> => sql<Place<Of>>`
  INSERT INTO ${IN}.${table} AS e VALUES (${({ of }) => of}, ${({ logId }) => logId}, ${({ position }) => position})
  ON CONFLICT (${key}) DO UPDATE SET log_id = EXCLUDED.log_id,
    position = CASE WHEN e.log_id = EXCLUDED.log_id THEN greatest(e.position, EXCLUDED.position)
      ELSE EXCLUDED.position END`;

export const SAVE_ERASURES = statement(save<1>(raw('erasures'), raw('one')));
export const SAVE_PLACE = statement(save<ErasureKind>(raw('places'), raw('kind')));

export const REPLACE_MASTER = statement(sql<Succession>`
  UPDATE ${IN}.state SET master = ${({ master }) => master}, root = ${({ root }) => root},
    successor_of = ${({ successor }) => successor?.of ?? null},
    successor = ${({ successor }) => successor?.wrapped ?? null}`);

export const NOT_UNDER = statement(sql<{ readonly master: string; readonly limit: number }>`
  SELECT id, master, wrapped FROM ${IN}.keys
  WHERE master <> ${({ master }) => master} AND wrapped IS NOT NULL LIMIT ${({ limit }) => limit}`);

export const REWRAP = statement(sql<Keys>`
  UPDATE ${IN}.keys k SET master = n.master, wrapped = n.wrapped
  FROM ${ROWS_OF} AS n(id, master, wrapped)
  WHERE k.id = n.id AND k.wrapped IS NOT NULL`);

interface Signing extends SignedState {
  readonly origin: string;
  /** Number of what it replaces. */
  readonly before: number;
}

export const SIGNED = statement(sql<string>`SELECT seal, text FROM ${IN}.signed WHERE origin = ${itself}`);

export const SAVE_FIRST_SIGNED = statement(sql<Signing>`
  INSERT INTO ${IN}.signed (origin, seal, text)
  VALUES (${({ origin }) => origin}, ${({ seal }) => seal}, ${({ text }) => text})
  ON CONFLICT DO NOTHING RETURNING seal`);

export const SAVE_SIGNED = statement(sql<Signing>`
  UPDATE ${IN}.signed SET seal = ${({ seal }) => seal}, text = ${({ text }) => text}
  WHERE origin = ${({ origin }) => origin} AND seal = ${({ before }) => before} RETURNING seal`);
