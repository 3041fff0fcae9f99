import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import {
  type KeyStore,
  PostgresKeyRows,
  PostgresKeyStore,
  SqliteKeyRows,
  SqliteKeyStore,
  copyKeys,
} from '#vault';
import { LogUnavailable } from '#event-log';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { EmbeddedPostgres } from '#postgres';
import { keysBelowContract } from './keys-below.contract.js';
import { signedStatesContract } from './signed-states.contract.js';
import { begunAs, found, keyCalled, keyStoreContract, keysCalled } from './key-store.contract.js';
import { quiet } from '../support/quiet.js';

const ports = () => ({ clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() });
const removed = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });

async function inAFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'annals-keys-'));
  const stores: KeyStore[] = [];
  return {
    open: async () => {
      const store = SqliteKeyStore.open(folder);
      stores.push(store);
      await store.prepare();
      return store;
    },
    rows: () => SqliteKeyRows.open(folder),
    dispose: async () => {
      for (const store of stores) await store.close().catch(() => undefined);
      removed(folder);
    },
  };
}

keyStoreContract('SqliteKeyStore', inAFolder);
keysBelowContract('SqliteKeyStore', inAFolder);
signedStatesContract('SqliteKeyStore', inAFolder);

describe('SqliteKeyStore', () => {
  it('leaves no byte of a key that is destroyed, however long another process reads, and does not stand still until then', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'annals-keys-'));
    const store = SqliteKeyStore.open(folder);
    const reader = new DatabaseSync(join(folder, 'keys.db'), { readOnly: true });
    const key = keyCalled('k');
    const isLeft = () =>
      readdirSync(folder).some((file) => readFileSync(join(folder, file)).includes(key.wrapped!));
    try {
      await store.begin(begunAs('a'));
      await store.add([key]);
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM keys').get();
      let isDestroyed = false;
      const destroyed = store.destroy('k', 1).then(() => (isDestroyed = true));
      await quiet(60);
      expect({ isDestroyed, isLeft: isLeft() }).toEqual({ isDestroyed: false, isLeft: true });
      expect(await found(store, ['k'])).toEqual([{ ...key, wrapped: null }]);
      reader.exec('COMMIT');
      await destroyed;
      expect(isLeft()).toBe(false);
    } finally {
      reader.close();
      await store.close();
      removed(folder);
    }
  });
});

let folder: string;
let postgres: EmbeddedPostgres;
let url: string;
let running: Promise<void>;
let whenRestarted = (): void => undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'annals-keys-'));
  postgres = new EmbeddedPostgres(join(folder, 'postgres'), ports());
  const { user, password, port, database } = await postgres.start();
  url = `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
  running = postgres.keepRunning(() => whenRestarted());
});
afterAll(async () => {
  await postgres.stop();
  await running;
  removed(folder);
});

let stores: PostgresKeyStore[] = [];

async function open(): Promise<PostgresKeyStore> {
  const store = new PostgresKeyStore(url, ports());
  stores.push(store);
  await store.prepare();
  return store;
}

/** As somebody beside the stores. */
async function asking<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function dispose(): Promise<void> {
  for (const store of stores.splice(0)) await store.close().catch(() => undefined);
  await asking((client) => client.query('DROP SCHEMA IF EXISTS annals_keys CASCADE'));
}

keyStoreContract('PostgresKeyStore', async () => ({ open, dispose }));
keysBelowContract('PostgresKeyStore', async () => ({ open, dispose }));
signedStatesContract('PostgresKeyStore', async () => ({ open, dispose }));

/** Ends the server as a loss of power does, and waits until it is back. */
async function crash(): Promise<void> {
  const restarted = new Promise<void>((resolve) => (whenRestarted = resolve));
  process.kill(postgres.pid!, 'SIGQUIT');
  await restarted;
}

describe('PostgresKeyStore', () => {
  afterEach(dispose);

  it('makes its tables once, whoever else makes them at the same time', async () => {
    const several = await Promise.all(Array.from({ length: 5 }, () => open()));
    await several[0]?.begin(begunAs('s'));
    for (const store of several) expect((await store.state())?.storeId).toBe('s');
  });

  it('has what it was given when the server dies right after, and goes on with it', async () => {
    const store = await open();
    await store.begin(begunAs('s'));
    const keys = keysCalled('k', 300);
    await store.add(keys);
    await store.destroy('k7', 1);
    await store.saveCheckpoint({ logId: 'log', position: 3 });
    await crash();
    // The connection that it had is gone; nobody has told it yet, perhaps.
    await store.read(['k0']).catch((error: unknown) => expect(error).toBeInstanceOf(LogUnavailable));
    const ids = keys.map(({ id }) => id);
    const kept = keys.map((key) => (key.id === 'k7' ? { ...key, wrapped: null } : key));
    expect(await found(store, ids)).toEqual(kept);
    expect(await store.checkpoint()).toEqual({ logId: 'log', position: 3 });
    expect(await store.add([keyCalled('later')])).toBe(2);
  });

  it('keeps nothing of a batch whose connection is lost in the middle', async () => {
    const store = await open();
    await store.begin(begunAs('s'));
    await store.add([keyCalled('before')]);
    await asking(async (client) => {
      await client.query('BEGIN; LOCK TABLE annals_keys.keys');
      const adding = store.add(keysCalled('k', 3)).then(
        () => 'added',
        (error: unknown) => error,
      );
      await asking(endWhoWaits);
      expect(await adding).toBeInstanceOf(LogUnavailable);
      await client.query('COMMIT');
    });
    expect((await store.state())?.generation).toBe(1);
    expect(await store.read(['k0', 'k1', 'k2'])).toEqual([]);
    expect(await store.add(keysCalled('k', 3))).toBe(2);
  });

  it('says that it does not answer, and nothing of where it is', async () => {
    const away = new PostgresKeyStore('postgres://root:hunter2@127.0.0.1:9/none', ports());
    stores.push(away);
    const error: unknown = await away.read(['a']).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LogUnavailable);
    expect(String(error)).not.toMatch(/hunter2|root|127/);
  });
});

describe('the keys of a store of another kind', () => {
  afterEach(dispose);

  it('are copied there and back with all that is known of them, however often that was broken off', async () => {
    const [first, second] = [await inAFolder(), await inAFolder()];
    const [from, back] = [await first.open(), await second.open()];
    const shared = await open();
    const keys = keysCalled('k', 1_203);
    await from.begin(begunAs('s'));
    await from.add(keys);
    await from.placeBelow('k3', 'k2');
    await from.destroy('k5', 1);
    await from.saveSigned('origin', 0, { seal: 1, text: 'note' });
    const [embedded, database] = [await first.rows(), await PostgresKeyRows.open(url, ports())];
    const again = await second.rows();
    try {
      // What a copy left that was broken off is not what counts.
      await database.put('keys', [
        { id: 'k5', master: 'm1', wrapped: Buffer.from('old'), destroyed_at: null },
      ]);
      expect(await copyKeys(embedded, database)).toBe(1_203);
      expect(await copyKeys(embedded, database)).toBe(0);
      expect(await copyKeys(database, again)).toBe(1_203);
      for (const store of [shared, back]) {
        expect(await store.state()).toEqual(await from.state());
        const ids = keys.map(({ id }) => id);
        expect(await found(store, ids)).toEqual(await found(from, ids));
        expect(await store.signed('origin')).toEqual({ seal: 1, text: 'note' });
        expect(await store.destroyTree('k2', 2)).toEqual(['k2', 'k3']);
      }
      await shared.add([keyCalled('later')]);
      await expect(copyKeys(embedded, database)).rejects.toThrow(/begun already: put it away/);
    } finally {
      for (const rows of [embedded, database, again]) await rows.close();
      await first.dispose();
      await second.dispose();
    }
  });
});

/** Ends the connection of the store that waits for a lock. */
async function endWhoWaits(client: Client): Promise<void> {
  const query = `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
    WHERE application_name = 'annals keys' AND wait_event_type = 'Lock'`;
  for (;;) {
    const { rows } = await client.query<{ ended: boolean }>(query);
    if (rows.some(({ ended }) => ended)) return;
    await new Promise(setImmediate);
  }
}
