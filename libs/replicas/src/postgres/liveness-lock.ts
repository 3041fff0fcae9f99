import type { Client, QueryConfig, QueryResultRow } from 'pg';
import { type Clock, type Random } from '#platform';
import { type ConnectionOptions, configOf, newConnection, sql, statement } from '#postgres';

/** Of the advisory locks that say which replicas are connected; any number that nobody else takes. */
export const LIVENESS_LOCK_CLASS = 0x616e6e;
const LARGEST_LOCK = 2 ** 31 - 1;
const LOCK_BYTES = 4;
const RETRY_MS = 100;

export interface LivenessLockPorts {
  readonly clock: Clock;
  readonly random: Random;
}

const TRY_LOCK = statement(
  sql<number>`SELECT pg_try_advisory_lock(${() => LIVENESS_LOCK_CLASS}, ${(lock) => lock}) AS taken`,
);

/**
 * The heartbeat's own connection, which holds an advisory lock as a liveness signal: PostgreSQL drops it as soon as
 * the process dies, and the others see that. A connection that breaks while the process lives is reopened at once,
 * before anybody takes it for a death.
 */
export class LivenessLock {
  /** What the lock is called; 0: it has no name yet. */
  private lock = 0;
  private connection: Promise<Client> | null = null;
  private readonly closing = new AbortController();

  /** @param renewed says the new lock's name where the others look it up */
  constructor(
    private readonly options: ConnectionOptions,
    private readonly ports: LivenessLockPorts,
    private readonly renewed: () => Promise<void>,
  ) {}

  /** @param asked of what the lock is called while it is asked */
  async query<R extends QueryResultRow>(asked: (lock: number) => QueryConfig): Promise<R[]> {
    const client = await this.connected();
    try {
      return (await client.query<R>(asked(this.lock))).rows;
    } catch (error) {
      // What the server itself refused says nothing about the connection.
      if (!isRefusal(error)) void client.end().catch(ignore);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.connection?.then((client) => client.end()).catch(ignore);
  }

  private connected(): Promise<Client> {
    this.connection ??= this.connect().catch((error: unknown) => {
      this.connection = null;
      throw error;
    });
    return this.connection;
  }

  private async connect(): Promise<Client> {
    const client = newConnection(configOf(this.options));
    await client.connect();
    try {
      await this.takeLock(client);
    } catch (error) {
      await client.end().catch(ignore);
      throw error;
    }
    client.once('end', () => {
      this.connection = null;
      void this.renew();
    });
    return client;
  }

  /** Another name where the old one is still held: by a connection whose end the server has not noticed. */
  private async takeLock(client: Client): Promise<void> {
    for (;;) {
      const lock = this.lock || this.newLock();
      const { rows } = await client.query<{ taken: boolean }>(TRY_LOCK(lock));
      this.lock = lock;
      if (rows[0]?.taken === true) return;
      this.lock = 0;
    }
  }

  private newLock(): number {
    return (Number.parseInt(this.ports.random.hex(LOCK_BYTES), 16) % LARGEST_LOCK) + 1;
  }

  private async renew(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      try {
        return await this.renewed();
      } catch {
        await this.ports.clock.sleep(RETRY_MS, signal).catch(ignore);
      }
    }
  }
}

/** Errors of the server have a severity. */
const isRefusal = (error: unknown): boolean => typeof (error as { severity?: unknown }).severity === 'string';

const ignore = (): void => undefined;
