import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventLog, type RecordedEvent, SqliteEventLog, hashOfEvent, newEvent } from '#event-log';
import { ProcessBackground, SecretBox, SilentLogger, SystemRandom } from '#platform';
import {
  Directory,
  TreeEdge,
  checkpointText,
  directoryEntry,
  eventEntry,
  fromHex,
  leafHash,
  linkOf,
  tagOf,
} from '#proof';
import { LogKeys, Sealing, type SealWitnesses } from '#sealer';
import { SqliteKeyStore } from '#vault';
import { ManualClock } from '../manual-clock.js';
import { MemoryProofStore } from './memory-proof-store.js';

export const HOUSE_ORIGIN = 'house.example/log';

export const NOBODY: SealWitnesses = {
  isEmpty: true,
  lacksQuorum: () => false,
  learn: () => undefined,
  latest: async () => [],
  cosign: async () => ({ cosignatures: [], conflicts: [] }),
};

/** A log with its key store and its tables, that processes seal which may die. */
export class SealedHouse {
  readonly folder = mkdtempSync(join(tmpdir(), 'annals-sealed-'));
  readonly clock = new ManualClock(1_750_000_000_000);
  readonly random = new SystemRandom();
  store = new MemoryProofStore();
  witnesses: SealWitnesses = NOBODY;
  private readonly stop = new AbortController();

  private constructor(
    public log: EventLog,
    public signed: SqliteKeyStore,
  ) {}

  static async open(): Promise<SealedHouse> {
    const folder = mkdtempSync(join(tmpdir(), 'annals-sealed-log-'));
    const log = await SqliteEventLog.open({ folder, logger: new SilentLogger(), reserveBytes: 0 });
    const signed = SqliteKeyStore.open(join(folder, 'keys'));
    const house = new SealedHouse(log, signed);
    house.onClose = () => rmSync(folder, { recursive: true });
    return house;
  }

  private onClose: () => void = () => undefined;

  async close(): Promise<void> {
    this.stop.abort();
    await this.log.close();
    await this.signed.close();
    rmSync(this.folder, { recursive: true });
    this.onClose();
  }

  async keys(origin = HOUSE_ORIGIN): Promise<LogKeys> {
    const { clock, random, log, signed } = this;
    const logger = new SilentLogger();
    const box = new SecretBox(Buffer.alloc(32, 5));
    const keys = new LogKeys(origin, {
      log,
      clock,
      random,
      box,
      signed,
      background: new ProcessBackground(logger),
      logger,
    });
    await keys.start(this.stop.signal);
    return keys;
  }

  /** What a process begins with. */
  async sealing(origin = HOUSE_ORIGIN, log = this.log): Promise<Sealing> {
    const { store, signed, clock, random, witnesses } = this;
    return new Sealing({ log, keys: await this.keys(origin), signed, store, witnesses, clock, random });
  }

  async append(stream: string, count = 1): Promise<void> {
    const events = Array.from({ length: count }, (_, n) =>
      newEvent(
        { id: this.random.uuid(), type: 't', time: this.clock.now(), data: { n } },
        { schemaVersion: 1, project: 'p', actor: 'k' },
      ),
    );
    await this.log.append(stream, events, { expected: 'any' });
  }

  async events(): Promise<readonly RecordedEvent[]> {
    const all: RecordedEvent[] = [];
    for await (const { events } of this.log.readAll({ isRaw: true })) all.push(...events);
    return all;
  }
}

/** The text of the checkpoint that the first events have with these seals, made without the sealer. */
export function checkpointOf(
  events: readonly RecordedEvent[],
  sealedAt: readonly number[],
  origin = HOUSE_ORIGIN,
): string {
  const tree = new TreeEdge();
  const directory = new Directory();
  for (const [at, event] of events.slice(0, sealedAt.at(-1)).entries()) {
    const tag = tagOf(event.stream);
    const hash = fromHex(hashOfEvent(event, event.raw!))!;
    tree.push(leafHash(eventEntry(tag, event.revision, hash)));
    directory.set({ tag, revision: event.revision, link: linkOf(directory.get(tag)?.link ?? tag, hash) });
    if (sealedAt.includes(at + 1)) tree.push(leafHash(directoryEntry(directory.root)));
  }
  return checkpointText({ origin, size: tree.size, root: tree.root });
}
