import type { QueryConfig } from 'pg';
import { type Clock, type Logger } from '#platform';
import type { PostgresPool } from '#postgres';
import { openKeyPool } from './key-pool.js';
import {
  type ErasureCheckpoint,
  type ErasureKind,
  KeyStore,
  type SignedState,
  type StoredKey,
  type StoreState,
} from '../key-store.js';
import {
  ADD,
  BEGIN,
  BELOW,
  DESTROY,
  NEXT_GENERATION,
  NOT_UNDER,
  PLACE_BELOW,
  PLACE_OF,
  READ,
  REMOVE,
  REPLACE_MASTER,
  REWRAP,
  SAVE_ERASURES,
  SAVE_FIRST_SIGNED,
  SAVE_PLACE,
  SAVE_SIGNED,
  SCHEMA,
  SIGNED,
} from './key-statements.js';

const RETRY_MS = 1_000;
/** Long enough not to fill a log, short enough to be seen. */
const SAY_EVERY = 10;

/** Two services that start at the same time must not both make the tables. */
const LOCK = 0x416e6b73;

const TABLES = `
  CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.keys (
    id text PRIMARY KEY, master text NOT NULL, wrapped bytea, destroyed_at bigint
  ) WITH (fillfactor = 50);
  CREATE INDEX IF NOT EXISTS keys_by_master ON ${SCHEMA}.keys (master) WHERE wrapped IS NOT NULL;
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.state (
    one integer PRIMARY KEY CHECK (one = 1), store_id text NOT NULL, master text NOT NULL, root bytea NOT NULL,
    generation bigint NOT NULL, successor_of text, successor bytea
  );
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.erasures (
    one integer PRIMARY KEY CHECK (one = 1), log_id text NOT NULL, position bigint NOT NULL
  );
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.below (id text PRIMARY KEY, parent text NOT NULL);
  CREATE INDEX IF NOT EXISTS below_by_parent ON ${SCHEMA}.below (parent);
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.places (
    kind text PRIMARY KEY, log_id text NOT NULL, position bigint NOT NULL
  );
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.signed (origin text PRIMARY KEY, seal bigint NOT NULL, text text NOT NULL);`;

type Row = Readonly<Record<string, unknown>>;

/**
 * Keys in a PostgreSQL schema of their own, shared by all replicas. Commits are synchronous, whatever the server's
 * default. Remains of destroyed keys in dead rows, WAL and backups are the server's matter: docs/privacy.md says how
 * long they last.
 */
export class PostgresKeyStore extends KeyStore {
  private readonly pool: PostgresPool;

  constructor(
    url: string,
    private readonly ports: { readonly clock: Clock; readonly logger: Logger },
  ) {
    super();
    this.pool = openKeyPool(url, ({ message }) =>
      ports.logger.warn({ detail: message }, 'a connection to the key store was lost'),
    );
  }

  /** Waits for the server for as long as it takes, saying so. */
  override async prepare(onWaiting?: (detail: string) => void): Promise<void> {
    const { clock, logger } = this.ports;
    for (let tries = 0; ; tries++) {
      try {
        await this.pool.inTurn(LOCK, (client) => client.query(TABLES));
        return;
      } catch (error) {
        onWaiting?.('the key store does not answer');
        if (tries % SAY_EVERY === 0) logger.warn({ err: error }, 'waiting for the key store');
        await clock.sleep(RETRY_MS);
      }
    }
  }

  override async state(): Promise<StoreState | null> {
    const [row] = await this.rows({ text: `SELECT * FROM ${SCHEMA}.state` });
    if (row === undefined) return null;
    const of = row['successor_of'] as string | null;
    return {
      storeId: row['store_id'] as string,
      master: row['master'] as string,
      root: row['root'] as Buffer,
      generation: Number(row['generation']),
      successor: of === null ? null : { of, wrapped: row['successor'] as Buffer },
    };
  }

  override async begin(state: StoreState): Promise<void> {
    await this.rows(BEGIN(state));
  }

  override async read(ids: readonly string[]): Promise<readonly StoredKey[]> {
    const rows = await this.rows(READ(ids));
    return rows as unknown as StoredKey[];
  }

  override add(keys: readonly StoredKey[]): Promise<number | null> {
    return this.pool.transaction(async (client) => {
      const { rows } = await client.query<Row>(NEXT_GENERATION(keys[0]?.master ?? ''));
      const [state] = rows;
      if (state === undefined) return null;
      await client.query(ADD(keys));
      return Number(state['generation']);
    });
  }

  override async destroy(id: string, at: number): Promise<void> {
    await this.rows(DESTROY({ ids: [id], at }));
    // Takes the old version of the row off its page. No transaction may be around it.
    await this.rows({ text: `VACUUM ${SCHEMA}.keys` });
  }

  /** Row locks serialise this with a concurrent destruction of the parent. */
  override async placeBelow(id: string, parent: string): Promise<boolean> {
    const [row] = await this.rows(PLACE_BELOW({ id, parent }));
    return row?.['parents'] === 1;
  }

  override async destroyTree(id: string, at: number): Promise<readonly string[]> {
    const ids = await this.pool.transaction(async (client) => {
      // By itself: from now on nothing comes below it, and the next statement sees all that did.
      await client.query(DESTROY({ ids: [id], at }));
      const { rows } = await client.query<{ id: string }>(BELOW(id));
      const below = rows.map((row) => row.id);
      await client.query(DESTROY({ ids: below, at }));
      return [id, ...below];
    });
    await this.rows({ text: `VACUUM ${SCHEMA}.keys` });
    return ids;
  }

  override async remove(ids: readonly string[]): Promise<void> {
    await this.rows(REMOVE(ids));
  }

  override async checkpoint(of: ErasureKind = 'sessions'): Promise<ErasureCheckpoint | null> {
    const [row] =
      of === 'sessions'
        ? await this.rows({ text: `SELECT log_id, position FROM ${SCHEMA}.erasures` })
        : await this.rows(PLACE_OF(of));
    return row === undefined ? null : { logId: row['log_id'] as string, position: Number(row['position']) };
  }

  /** The checkpoint never moves backwards, for replicas may lag behind each other. */
  override async saveCheckpoint(place: ErasureCheckpoint, of: ErasureKind = 'sessions'): Promise<void> {
    await this.rows(of === 'sessions' ? SAVE_ERASURES({ ...place, of: 1 }) : SAVE_PLACE({ ...place, of }));
  }

  override async signed(origin: string): Promise<SignedState | null> {
    const [row] = await this.rows(SIGNED(origin));
    return row === undefined ? null : { seal: Number(row['seal']), text: row['text'] as string };
  }

  override async saveSigned(origin: string, before: number, state: SignedState): Promise<boolean> {
    const save = before === 0 ? SAVE_FIRST_SIGNED : SAVE_SIGNED;
    return (await this.rows(save({ ...state, origin, before }))).length === 1;
  }

  override async replaceMaster(by: Pick<StoreState, 'master' | 'root' | 'successor'>): Promise<void> {
    await this.rows(REPLACE_MASTER(by));
    await this.rows({ text: `VACUUM ${SCHEMA}.state` });
  }

  override async notUnder(master: string, limit: number): Promise<readonly StoredKey[]> {
    const rows = await this.rows(NOT_UNDER({ master, limit }));
    return rows as unknown as StoredKey[];
  }

  override async rewrap(keys: readonly StoredKey[]): Promise<void> {
    await this.rows(REWRAP(keys));
  }

  override close(): Promise<void> {
    return this.pool.close();
  }

  private async rows(config: QueryConfig): Promise<readonly Row[]> {
    return (await this.pool.query<Row>(config)).rows;
  }
}
