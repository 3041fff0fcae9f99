import { type Clock, type Logger } from '#platform';
import { PostgresPool } from '#postgres';
import { LogUnavailable } from '#event-log';
import {
  type ErasureCheckpoint,
  type ErasureKind,
  KeyStore,
  type StoredKey,
  type StoreState,
} from '../key-store.js';

const SCHEMA = 'annals_keys';
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
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
  );`;

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
    this.pool = new PostgresPool({
      address: { url },
      applicationName: 'annals keys',
      // One that stays open: it is there when the server has none left to give.
      connections: 1,
      idleTimeoutMs: 0,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      settings: { synchronous_commit: 'on' },
      failure: (error) => new LogUnavailable('the key store does not answer', { cause: error }),
      onLost: ({ message }) =>
        ports.logger.warn({ detail: message }, 'a connection to the key store was lost'),
    });
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
    const [row] = await this.rows(`SELECT * FROM ${SCHEMA}.state`);
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

  override async begin({ storeId, master, root, generation }: StoreState): Promise<void> {
    await this.rows(
      `INSERT INTO ${SCHEMA}.state (one, store_id, master, root, generation) VALUES (1, $1, $2, $3, $4)
       ON CONFLICT DO NOTHING`,
      [storeId, master, root, generation],
    );
  }

  override async read(ids: readonly string[]): Promise<readonly StoredKey[]> {
    const rows = await this.rows(`SELECT id, master, wrapped FROM ${SCHEMA}.keys WHERE id = ANY ($1)`, [ids]);
    return rows as unknown as StoredKey[];
  }

  override add(keys: readonly StoredKey[]): Promise<number | null> {
    return this.pool.transaction(async (client) => {
      const { rows } = await client.query<Row>(
        `UPDATE ${SCHEMA}.state SET generation = generation + 1 WHERE master = $1 RETURNING generation`,
        [keys[0]?.master ?? ''],
      );
      const [state] = rows;
      if (state === undefined) return null;
      await client.query(
        `INSERT INTO ${SCHEMA}.keys (id, master, wrapped) SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[])`,
        columnsOf(keys),
      );
      return Number(state['generation']);
    });
  }

  override async destroy(id: string, at: number): Promise<void> {
    await this.rows(DESTROY, [[id], at]);
    // Takes the old version of the row off its page. No transaction may be around it.
    await this.rows(`VACUUM ${SCHEMA}.keys`);
  }

  /** Row locks serialise this with a concurrent destruction of the parent. */
  override async placeBelow(id: string, parent: string): Promise<boolean> {
    const [row] = await this.rows(
      `WITH p AS (SELECT id FROM ${SCHEMA}.keys WHERE id = $2 AND wrapped IS NOT NULL FOR SHARE),
         placed AS (INSERT INTO ${SCHEMA}.below (id, parent) SELECT $1, id FROM p ON CONFLICT DO NOTHING)
       SELECT count(*)::int AS parents FROM p`,
      [id, parent],
    );
    return row?.['parents'] === 1;
  }

  override async destroyTree(id: string, at: number): Promise<readonly string[]> {
    const ids = await this.pool.transaction(async (client) => {
      // By itself: from now on nothing comes below it, and the next statement sees all that did.
      await client.query(DESTROY, [[id], at]);
      const { rows } = await client.query<{ id: string }>(
        `SELECT id FROM ${SCHEMA}.below WHERE parent = $1 ORDER BY id`,
        [id],
      );
      const below = rows.map((row) => row.id);
      await client.query(DESTROY, [below, at]);
      return [id, ...below];
    });
    await this.rows(`VACUUM ${SCHEMA}.keys`);
    return ids;
  }

  override async remove(ids: readonly string[]): Promise<void> {
    await this.rows(`DELETE FROM ${SCHEMA}.keys WHERE id = ANY ($1) AND wrapped IS NOT NULL`, [ids]);
  }

  override async checkpoint(of: ErasureKind = 'sessions'): Promise<ErasureCheckpoint | null> {
    const [row] =
      of === 'sessions'
        ? await this.rows(`SELECT log_id, position FROM ${SCHEMA}.erasures`)
        : await this.rows(`SELECT log_id, position FROM ${SCHEMA}.places WHERE kind = $1`, [of]);
    return row === undefined ? null : { logId: row['log_id'] as string, position: Number(row['position']) };
  }

  /** The checkpoint never moves backwards, for replicas may lag behind each other. */
  override async saveCheckpoint(
    { logId, position }: ErasureCheckpoint,
    of: ErasureKind = 'sessions',
  ): Promise<void> {
    const [table, key, name] = of === 'sessions' ? ['erasures', 'one', 1] : ['places', 'kind', of];
    await this.rows(
      `INSERT INTO ${SCHEMA}.${table} AS e VALUES ($1, $2, $3) ON CONFLICT (${key}) DO UPDATE SET log_id = EXCLUDED.log_id,
         position = CASE WHEN e.log_id = EXCLUDED.log_id THEN greatest(e.position, EXCLUDED.position)
           ELSE EXCLUDED.position END`,
      [name, logId, position],
    );
  }

  override async replaceMaster({
    master,
    root,
    successor,
  }: Pick<StoreState, 'master' | 'root' | 'successor'>): Promise<void> {
    await this.rows(`UPDATE ${SCHEMA}.state SET master = $1, root = $2, successor_of = $3, successor = $4`, [
      master,
      root,
      successor?.of ?? null,
      successor?.wrapped ?? null,
    ]);
    await this.rows(`VACUUM ${SCHEMA}.state`);
  }

  override async notUnder(master: string, limit: number): Promise<readonly StoredKey[]> {
    const rows = await this.rows(
      `SELECT id, master, wrapped FROM ${SCHEMA}.keys WHERE master <> $1 AND wrapped IS NOT NULL LIMIT $2`,
      [master, limit],
    );
    return rows as unknown as StoredKey[];
  }

  override async rewrap(keys: readonly StoredKey[]): Promise<void> {
    await this.rows(
      `UPDATE ${SCHEMA}.keys k SET master = n.master, wrapped = n.wrapped
       FROM unnest($1::text[], $2::text[], $3::bytea[]) AS n(id, master, wrapped)
       WHERE k.id = n.id AND k.wrapped IS NOT NULL`,
      columnsOf(keys),
    );
  }

  override close(): Promise<void> {
    return this.pool.close();
  }

  private async rows(text: string, values: unknown[] = []): Promise<readonly Row[]> {
    return (await this.pool.query<Row>({ text, values })).rows;
  }
}

const DESTROY = `
  INSERT INTO ${SCHEMA}.keys AS k (id, master, wrapped, destroyed_at) SELECT id, '', NULL, $2 FROM unnest($1::text[]) AS id
  ON CONFLICT (id) DO UPDATE SET wrapped = NULL, destroyed_at = coalesce(k.destroyed_at, EXCLUDED.destroyed_at)`;

const columnsOf = (keys: readonly StoredKey[]): unknown[] => [
  keys.map(({ id }) => id),
  keys.map(({ master }) => master),
  keys.map(({ wrapped }) => wrapped),
];
