import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { type EventLog, LogRefused, LogUnavailable, SqliteEventLog, ContentKey } from '#event-log';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { KeptLogger } from '../../../../test/support/read-models-fixture.js';
import { KeyVault } from './key-vault.js';
import { keysMade } from './keys-made.js';
import { rotateMaster } from './rotate-master.js';
import { SqliteKeyStore } from './sqlite/sqlite-key-store.js';

const MASTER = new ContentKey('m1', Buffer.alloc(32, 1));
const NEXT = new ContentKey('m2', Buffer.alloc(32, 2));
const ports = () => ({ clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() });

let folder: string;
let log: EventLog;
const stores: SqliteKeyStore[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'annals-vault-'));
  log = await SqliteEventLog.open({
    folder: join(folder, 'log'),
    logger: new SilentLogger(),
    reserveBytes: 0,
  });
});
afterEach(async () => {
  await log.close();
  for (const store of stores.splice(0)) await store.close().catch(() => undefined);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

function storeIn(name = 'keys'): SqliteKeyStore {
  const store = SqliteKeyStore.open(join(folder, name));
  stores.push(store);
  return store;
}

async function openVault(store = storeIn(), master = MASTER): Promise<KeyVault> {
  const vault = new KeyVault(store, master, ports());
  await vault.open(() => keysMade(log));
  vault.attach(log);
  return vault;
}

const bytesIn = (name: string): Buffer =>
  Buffer.concat(readdirSync(join(folder, name)).map((file) => readFileSync(join(folder, name, file))));

const keyOf = async (vault: KeyVault, id: string): Promise<ContentKey> => {
  const key = await vault.get(id);
  if (key === 'destroyed') throw new Error('the key is destroyed');
  return key;
};

describe('a key', () => {
  test('is durable before its id is known, and its batch stands on the log', async () => {
    const vault = await openVault();
    const id = await vault.draw();
    const key = await keyOf(vault, id);
    expect(await keysMade(log)).toMatchObject({ generation: 1 });
    // Another process, after a crash of the first.
    const other = await openVault(storeIn());
    expect((await keyOf(other, id)).bytes).toEqual(key.bytes);
  });

  test('is never given out twice, by a second process neither', async () => {
    const [one, two] = [await openVault(), await openVault()];
    const ids = new Set<string>();
    for (let n = 0; n < 300; n++) ids.add(await one.draw()).add(await two.draw());
    expect(ids.size).toBe(600);
  });

  test('does not stand in the file as it is', async () => {
    const vault = await openVault();
    const { bytes } = await keyOf(vault, await vault.draw());
    expect(bytesIn('keys').includes(bytes)).toBe(false);
  });

  test('that was made ahead and not used goes at the end', async () => {
    const vault = await openVault();
    const id = await vault.draw();
    await vault.close();
    const store = storeIn();
    expect(await store.notUnder('none', 1_000)).toEqual([expect.objectContaining({ id })]);
  });

  test('stays at hand for whoever asks for it, whatever is brought in beside it', async () => {
    const store = storeIn();
    const id = await (await openVault(store)).draw();
    const [maker, vault] = [await openVault(store), await openVault(store)];
    for (let n = 0; n < 12_000; n++) {
      await vault.load([id, await maker.draw()]);
      if (vault.peek(id) === undefined) throw new Error(`gone with the ${n}th key beside it`);
    }
    expect(typeof (await vault.get(id))).toBe('object');
  });

  test('that the store never had is said so', async () => {
    const vault = await openVault();
    await expect(vault.load(['ab'.repeat(16)])).rejects.toThrow(LogUnavailable);
  });
});

describe('a destroyed key', () => {
  test('leaves no byte in the files of the store, while others are still there', async () => {
    const store = storeIn();
    const vault = await openVault(store);
    const [gone, kept] = [await vault.draw(), await vault.draw()];
    const wrappedOf = async (id: string) => (await store.read([id]))[0]?.wrapped ?? Buffer.alloc(0);
    const [wrappedGone, wrappedKept] = [await wrappedOf(gone), await wrappedOf(kept)];
    expect(bytesIn('keys').includes(wrappedGone)).toBe(true);
    await vault.destroy(gone);
    expect(bytesIn('keys').includes(wrappedGone)).toBe(false);
    expect(bytesIn('keys').includes(wrappedKept)).toBe(true);
  });

  test('is known as such for ever, and whoever keeps copies is told', async () => {
    const vault = await openVault();
    const id = await vault.draw();
    const told: string[] = [];
    vault.onDestroyed((gone) => told.push(gone));
    await vault.destroy(id);
    await vault.destroy(id);
    expect(await vault.get(id)).toBe('destroyed');
    expect(told).toEqual([id, id]);
    expect(await (await openVault(storeIn())).get(id)).toBe('destroyed');
  });
});

describe('the start is refused, and nothing is changed', () => {
  const refusal = async (store: SqliteKeyStore, master = MASTER): Promise<string> => {
    const before = bytesIn('log');
    const error: unknown = await openVault(store, master).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(LogRefused);
    expect(bytesIn('log')).toEqual(before);
    expect((error as Error).message).not.toContain('\n');
    return (error as Error).message;
  };

  test('with another master key', async () => {
    await openVault();
    expect(await refusal(storeIn(), NEXT)).toMatch(/ANNALS_MASTER_KEY must be the key/);
  });

  test('where the store is missing', async () => {
    await (await openVault()).draw();
    const empty = storeIn('lost');
    expect(await refusal(empty)).toMatch(/is missing.*restore the key store/);
    expect(await empty.state()).toBeNull();
  });

  test("with another installation's store", async () => {
    await (await openVault()).draw();
    const strange = new KeyVault(storeIn('strange'), MASTER, ports());
    await strange.open(async () => null);
    expect(await refusal(storeIn('strange'))).toMatch(/another installation's.*restore the key store/);
  });

  test('with a store that is older than the log', async () => {
    const store = storeIn();
    const vault = await openVault(store);
    await vault.draw();
    const backup = storeIn('backup');
    await backup.begin((await store.state())!);
    for (let n = 0; n < 400; n++) await vault.draw();
    expect(await refusal(storeIn('backup'))).toMatch(/older than the log.*restore the key store/);
  });
});

test('a log that knows nothing of the keys that are there is told of: it may be that of nobody', async () => {
  const logger = new KeptLogger();
  const open = (name: string) =>
    new KeyVault(storeIn(name), MASTER, { ...ports(), logger }).open(async () => null);
  await open('new');
  await open('new');
  expect(logger.lines).toEqual([]);
  await (await openVault()).draw();
  await open('keys');
  expect(logger.says('was there another log before?')).toBe(true);
});

describe('a new master key', () => {
  const drawn = async () => {
    const vault = await openVault();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await vault.draw());
    await vault.destroy(ids[4]!);
    const keys = await Promise.all(ids.slice(0, 4).map((id) => keyOf(vault, id)));
    return { vault, ids, keys, root: vault.root };
  };
  const expectSame = async (vault: KeyVault, { ids, keys, root }: Awaited<ReturnType<typeof drawn>>) => {
    for (const [i, key] of keys.entries()) expect((await keyOf(vault, ids[i]!)).bytes).toEqual(key.bytes);
    expect(await vault.get(ids[4]!)).toBe('destroyed');
    expect(vault.root).toEqual(root);
  };

  test('opens everything, and the old one nothing after the next start', async () => {
    const made = await drawn();
    await rotateMaster(storeIn(), MASTER, NEXT);
    await expectSame(await openVault(storeIn(), NEXT), made);
    await expect(openVault(storeIn(), MASTER)).rejects.toBeInstanceOf(LogRefused);
  });

  test('is learnt of by a service that runs, which wraps with it from then on', async () => {
    const made = await drawn();
    await rotateMaster(storeIn(), MASTER, NEXT);
    const later: string[] = [];
    for (let n = 0; n < 600; n++) later.push(await made.vault.draw());
    const store = storeIn();
    expect(await store.notUnder(NEXT.id, 10)).toEqual([]);
    const restarted = await openVault(store, NEXT);
    await expectSame(restarted, made);
    await expect(restarted.get(later.at(-1)!)).resolves.toBeInstanceOf(ContentKey);
  });

  test('is learnt of by a service that has nothing to do, before the next start takes the wrapping away', async () => {
    const made = await drawn();
    const clock = new ManualClock();
    const running = new KeyVault(storeIn(), MASTER, { ...ports(), clock });
    await running.open(() => keysMade(log));
    running.attach(log);
    running.makeAhead();
    await rotateMaster(storeIn(), MASTER, NEXT);
    await clock.pass(5_000);
    // It has looked when it waits for the next time.
    await clock.timerWithin(5_000);
    await openVault(storeIn(), NEXT);
    await expectSame(running, made);
    for (let n = 0; n < 300; n++) await running.draw();
    await running.close();
  });

  test('is refused while another change is not at its end, and nothing is changed', async () => {
    const made = await drawn();
    const store = storeIn();
    const third = new ContentKey('m3', Buffer.alloc(32, 3));
    const broken = new Proxy(store, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          if (name === 'rewrap') throw new Error('broken off');
          return method.apply(target, args);
        };
      },
    });
    await expect(rotateMaster(broken, MASTER, NEXT)).rejects.toThrow('broken off');
    await expect(rotateMaster(store, NEXT, third)).rejects.toThrow(/broken off.*go on with it/);
    await rotateMaster(store, MASTER, NEXT);
    await expectSame(await openVault(storeIn(), NEXT), made);
  });

  test('takes over however often the change was broken off', async () => {
    const made = await drawn();
    const store = storeIn();
    let left = 0;
    const broken = new Proxy(store, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as unknown;
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => {
          if (left-- === 0) throw new Error('broken off');
          return method.apply(target, args) as unknown;
        };
      },
    });
    for (let calls = 0; calls < 4; calls++) {
      left = calls;
      await rotateMaster(broken, MASTER, NEXT).catch(() => undefined);
    }
    left = Infinity;
    await expect(rotateMaster(storeIn(), MASTER, NEXT)).resolves.toBeGreaterThanOrEqual(0);
    await expectSame(await openVault(storeIn(), NEXT), made);
  });

  test('is refused where the old one is not the right one', async () => {
    const made = await drawn();
    const wrong = new ContentKey('m3', Buffer.alloc(32, 3));
    await expect(rotateMaster(storeIn(), wrong, NEXT)).rejects.toBeInstanceOf(LogRefused);
    await expectSame(await openVault(storeIn(), MASTER), made);
  });
});
