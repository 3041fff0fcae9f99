import type { Clock, Logger, Random } from '#platform';
import {
  newEvent,
  type EventLog,
  LogRefused,
  LogUnavailable,
  appendUntilDefinite,
  ContentChanged,
  ContentKey,
  KEY_BYTES,
  ContentErased,
  ContentKeys,
  KeysLost,
  type KnownKey,
} from '#event-log';
import { KEY_STREAM, type KeysMade, WRONG_MASTER, refuseStore } from './keys-made.js';
import type { KeyStore, StoredKey, StoreState } from './key-store.js';

/** Keys created in one batch, to share one sync. The first batch is smaller, since many processes use few. */
const BATCH = 256;
const FIRST_BATCH = 32;
/** Pool size at which the next batch is created. */
const LOW = 16;
/** How soon a service learns that the master key was replaced. */
const LOOK_MS = 2_000;
/** Bound on cached keys. */
const KEPT = 10_000;

const META = { schemaVersion: 1, project: 'annals', actor: 'annals' };

export interface VaultPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Content keys, wrapped with the master key in a key store (envelope encryption). Owns the pool of unused keys and
 * the key cache.
 * 1. A key is durable, and its batch is recorded in the log, before its id is given out.
 * 2. A pool belongs to one process: a crash leaves some keys unused, and none is given out twice.
 */
export class KeyVault extends ContentKeys {
  private readonly cache = new Map<string, KnownKey>();
  private readonly masters = new Map<string, ContentKey>();
  private pool: string[] = [];
  private filling: Promise<void> | null = null;
  private batch = FIRST_BATCH;
  private log: EventLog | null = null;
  private state: StoreState | null = null;
  private rootKey: Buffer | null = null;
  private looking: Promise<StoreState> | null = null;
  private readonly closing = new AbortController();

  /** @param master its id identifies it without revealing anything of it */
  constructor(
    private readonly store: KeyStore,
    private readonly master: ContentKey,
    private readonly ports: VaultPorts,
  ) {
    super();
    this.masters.set(master.id, master);
  }

  /**
   * Loads the store's state, or initialises it where store and log are both new.
   * @param made what the log records of its keys
   * @throws LogRefused for a wrong master key or store; nothing is changed then
   */
  async open(made: () => Promise<KeysMade | null>): Promise<void> {
    // In this order: a replica that begins the store at the same time says so on the log later.
    const known = await made();
    const state = await this.store.state();
    refuseStore(state, known);
    if (known === null && state !== null && state.generation > 0)
      this.ports.logger.warn({}, 'the log is new, and the key store is not: was there another log before?');
    if (state === null) await this.begin();
    this.state = state ?? (await this.store.state());
    if (this.state === null) throw new LogUnavailable('the key store has lost what it was given');
    this.rootKey = this.unwrapRoot(this.state);
    await this.endRotation(this.state);
  }

  /** 32-byte root key, from which secrets of the installation are derived. */
  get root(): Buffer {
    if (this.rootKey === null) throw new Error('the key store was not opened');
    return this.rootKey;
  }

  /** Records batches of keys in this log from now on. */
  attach(log: EventLog): void {
    this.log = log;
  }

  /** Creates the first batch ahead, so that the first session need not wait; from now on a new master key is looked for. */
  makeAhead(): void {
    void this.fill().catch(() => undefined);
    void this.lookOn();
  }

  override peek(id: string): KnownKey | undefined {
    return this.cache.get(id);
  }

  override async load(ids: Iterable<string>): Promise<void> {
    const missing: string[] = [];
    for (const id of ids) {
      const known = this.cache.get(id);
      if (known === undefined) missing.push(id);
      // As the youngest, so that what is brought in beside it does not put it out.
      else this.keep(id, known);
    }
    if (missing.length === 0) return;
    const found = new Map((await this.store.read(missing)).map((key) => [key.id, key]));
    const lost: string[] = [];
    for (const id of missing) {
      const stored = found.get(id);
      const key = stored === undefined ? null : await this.opened(stored);
      if (key === null) lost.push(id);
      else this.keep(id, key);
    }
    if (lost.length > 0) throw new KeysLost(lost);
  }

  override async draw(): Promise<string> {
    while (this.pool.length === 0) await this.fill();
    if (this.pool.length <= LOW) void this.fill().catch(() => undefined);
    return this.pool.pop()!;
  }

  override async destroy(id: string): Promise<void> {
    await this.store.destroy(id, this.ports.clock.now());
    this.keep(id, 'destroyed');
    this.tellDestroyed(id);
  }

  override async placeBelow(id: string, parent: string): Promise<void> {
    if (!(await this.store.placeBelow(id, parent)))
      throw new ContentErased(`nothing is kept below the key ${parent} any more`);
  }

  override async destroyTree(id: string): Promise<void> {
    for (const gone of await this.store.destroyTree(id, this.ports.clock.now())) {
      // Thousands may go at once: those that nobody has in memory need not come into it.
      if (this.cache.has(gone)) this.keep(gone, 'destroyed');
      this.tellDestroyed(gone);
    }
  }

  /** Removes unused keys from the store, and closes it. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.looking?.catch(() => undefined);
    await this.filling?.catch(() => undefined);
    await this.store.remove(this.pool.splice(0)).catch(() => undefined);
    await this.store.close();
  }

  /** Also while no key is needed: the next start with a new master key, or the change behind it, takes its wrapping away. */
  private async lookOn(): Promise<void> {
    const { clock } = this.ports;
    const { signal } = this.closing;
    for (;;) {
      await clock.sleep(LOOK_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      await (this.looking = this.readState()).catch(() => undefined);
    }
  }

  private fill(): Promise<void> {
    this.filling ??= this.makeBatch().finally(() => (this.filling = null));
    return this.filling;
  }

  /** Invariant 1. */
  private async makeBatch(): Promise<void> {
    const { random } = this.ports;
    const wrapping = await this.currentMaster();
    // Ids of a batch begin alike: as neighbours in the store's tree they fill a few pages, and do not change hundreds.
    const prefix = random.hex(12);
    const keys = Array.from({ length: this.batch }, (_, n) => {
      const id = prefix + n.toString(16).padStart(8, '0');
      return new ContentKey(id, Buffer.from(random.hex(KEY_BYTES), 'hex'));
    });
    const stored = keys.map((key) => wrapped(key, wrapping));
    const generation = await this.store.add(stored);
    if (generation === null) {
      // The master key was replaced meanwhile.
      await this.readState();
      return;
    }
    await this.announce(generation);
    this.batch = BATCH;
    for (const key of keys) {
      this.keep(key.id, key);
      this.pool.push(key.id);
    }
  }

  private async announce(generation: number): Promise<void> {
    if (this.log === null || this.state === null) throw new LogUnavailable('the log is not open yet');
    const { clock, random } = this.ports;
    const data: KeysMade = { store: this.state.storeId, generation };
    const event = newEvent({ id: random.uuid(), type: 'keys_made', time: clock.now(), data }, META);
    await appendUntilDefinite(this.log, clock, random, KEY_STREAM, [event], { expected: 'any' });
  }

  private async begin(): Promise<void> {
    const { random } = this.ports;
    const root = new ContentKey('root', Buffer.from(random.hex(KEY_BYTES), 'hex'));
    await this.store.begin({
      storeId: random.uuid(),
      master: this.master.id,
      root: this.master.seal(root.bytes, 'root'),
      generation: 0,
      successor: null,
    });
  }

  private unwrapRoot(state: StoreState): Buffer {
    this.learn(state);
    const master = this.masters.get(state.master);
    try {
      if (master !== undefined) return master.open(state.root, 'root');
    } catch (error) {
      if (!(error instanceof ContentChanged)) throw error;
    }
    throw new LogRefused(WRONG_MASTER);
  }

  /** Accepts a rotated master key that a known one wraps. */
  private learn({ master, successor }: StoreState): void {
    const old = successor === null ? undefined : this.masters.get(successor.of);
    if (old === undefined || successor === null || this.masters.has(master)) return;
    this.masters.set(master, new ContentKey(master, old.open(successor.wrapped, `master ${master}`)));
    this.ports.logger.warn({}, 'ANNALS_MASTER_KEY was rotated: set the new one before the next start');
  }

  /** Completes a rotation at the first start with the new master key: the old one becomes useless. */
  private async endRotation({ master, root, successor }: StoreState): Promise<void> {
    if (successor === null || this.master.id !== master) return;
    if ((await this.store.notUnder(master, 1)).length > 0)
      throw new LogRefused(
        'the master key is not replaced everywhere: npm run rotate-master-key goes on with it',
      );
    await this.store.replaceMaster({ master, root, successor: null });
  }

  private async readState(): Promise<StoreState> {
    const state = await this.store.state();
    if (state === null) throw new LogUnavailable('the key store is empty');
    this.state = state;
    this.learn(state);
    return state;
  }

  private async currentMaster(): Promise<ContentKey> {
    const { master } = this.state ?? (await this.readState());
    const key = this.masters.get(master);
    if (key === undefined) throw new LogUnavailable('the master key of the key store is another');
    return key;
  }

  /** null: the stored key is damaged. */
  private async opened(stored: StoredKey): Promise<KnownKey | null> {
    if (stored.wrapped === null) return 'destroyed';
    try {
      return await this.unwrap(stored, stored.wrapped);
    } catch (error) {
      if (error instanceof ContentChanged) return null;
      throw error;
    }
  }

  private async unwrap({ id, master }: StoredKey, bytes: Buffer): Promise<ContentKey> {
    if (!this.masters.has(master)) await this.readState();
    const wrapping = this.masters.get(master);
    if (wrapping === undefined) throw new LogUnavailable(`the key ${id} is wrapped with another master key`);
    return new ContentKey(id, wrapping.open(bytes, `key ${id}`));
  }

  private keep(id: string, key: KnownKey): void {
    this.cache.delete(id);
    this.cache.set(id, key);
    if (this.cache.size <= KEPT) return;
    const unused = new Set(this.pool);
    for (const oldest of this.cache.keys()) {
      if (this.cache.size <= KEPT * 0.9) break;
      if (!unused.has(oldest)) this.cache.delete(oldest);
    }
  }
}

/** Wraps a key for storage. */
export const wrapped = (key: ContentKey, master: ContentKey): StoredKey => ({
  id: key.id,
  master: master.id,
  wrapped: master.seal(key.bytes, `key ${key.id}`),
});
