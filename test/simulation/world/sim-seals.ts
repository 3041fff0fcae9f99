import type { StreamName } from '#domain';
import {
  type Batch,
  type EventLog,
  type HashBatch,
  PassingLog,
  type Position,
  type ReadAllOptions,
  type ReadOptions,
  type RecordedEvent,
  hashesOf,
} from '#event-log';
import { type Background, type Clock, Logger, type Random } from '#platform';
import { parseNote, sha256, toHex, utf8 } from '#proof';
import {
  type Bucket,
  LogKeys,
  ProofStore,
  type ProofStatusRow,
  type Published,
  type SealWitnesses,
  Sealer,
  type SignedStates,
  type Stop,
  type StreamPlace,
  type TilePlace,
  type TreeState,
  type TreeTables,
} from '#sealer';
import { MemoryProofStore } from '../../support/proof/memory-proof-store.js';
import type { Owner } from '../engine/scheduler.js';
import { askKeyStore } from './sim-keys.js';
import { askDatabase } from './sim-projection.js';
import type { SimWorld } from './sim-world.js';

export const SIM_ORIGIN = 'sim.example/log';
const RETRY_MS = 1_000;

/** What all workers of a world share of the seals. */
export class SharedSeals {
  readonly store = new MemoryProofStore();
  readonly signed = new Map<string, { readonly seal: number; readonly text: string }>();
  /** Checkpoints that anybody was told. */
  readonly told = new Set<string>();
}

/** As the log gives an event that is read with its proof; here it has none of its own. */
export function withProof(event: RecordedEvent): RecordedEvent {
  const raw = { data: event.json, commitment: toHex(sha256(utf8(event.id))), prev: '' };
  return Object.assign(Object.create(event) as RecordedEvent, { raw });
}

/** The log with such proofs, for whoever reads it raw. */
class ProvenLog extends PassingLog {
  override append(
    ...[stream, events, options]: Parameters<EventLog['append']>
  ): ReturnType<EventLog['append']> {
    return this.log.append(stream, events, options);
  }

  override readStream(
    stream: StreamName,
    options: ReadOptions = {},
  ): AsyncIterable<readonly RecordedEvent[]> {
    const pages = super.readStream(stream, options);
    return options.isRaw === true ? proven(pages, (events) => events.map(withProof)) : pages;
  }

  override readAll(options: ReadAllOptions = {}): AsyncIterable<Batch> {
    const pages = super.readAll(options);
    if (options.isRaw !== true) return pages;
    return proven(pages, ({ events, position }) => ({ events: events.map(withProof), position }));
  }

  override readHashes(after: Position): AsyncIterable<HashBatch> {
    return hashesOf(this.readAll({ after, isRaw: true }));
  }
}

async function* proven<T>(pages: AsyncIterable<T>, prove: (page: T) => T): AsyncGenerator<T> {
  for await (const page of pages) yield prove(page);
}

class SimSigned implements SignedStates {
  constructor(
    private readonly shared: SharedSeals,
    private readonly world: SimWorld,
    private readonly owner: Owner,
  ) {}

  signed(origin: string): ReturnType<SignedStates['signed']> {
    return askKeyStore(this.world, this.owner, 'seal read', () => this.shared.signed.get(origin) ?? null);
  }

  saveSigned(...[origin, before, state]: Parameters<SignedStates['saveSigned']>): Promise<boolean> {
    return askKeyStore(this.world, this.owner, `seal ${state.seal} kept`, () => {
      if ((this.shared.signed.get(origin)?.seal ?? 0) !== before) return false;
      this.shared.signed.set(origin, state);
      return true;
    });
  }
}

/** One worker's way to the tables. A transaction is kept where nobody else has written since it began. */
class SimProofStore extends ProofStore {
  override readonly ready = Promise.resolve();
  private readonly inner: MemoryProofStore;

  constructor(
    shared: SharedSeals,
    private readonly world: SimWorld,
    private readonly owner: Owner,
  ) {
    super();
    this.inner = shared.store;
  }

  override tree(): Promise<TreeState | null> {
    return this.ask('tree read', () => this.inner.tables.tree);
  }

  override buckets(): Promise<readonly Bucket[]> {
    return this.ask('buckets read', () => [...this.inner.tables.buckets.values()]);
  }

  override async write(work: (tables: TreeTables, tree: TreeState | null) => Promise<void>): Promise<void> {
    const { base, draft } = await this.ask('tree opened', () => ({
      base: this.inner.tables,
      draft: this.inner.tables.copy(),
    }));
    await work(draft, draft.tree);
    await this.ask('tree kept', () => {
      if (this.inner.tables !== base) throw new Error('a rival has written');
      this.inner.tables = draft;
    });
  }

  override status(): Promise<ProofStatusRow> {
    return this.ask('status read', () => this.inner.row);
  }

  override publish(published: Published | null): Promise<void> {
    return this.ask('seal published', () => void this.inner.publish(published));
  }

  override setStopped(stop: Stop | null): Promise<void> {
    return this.ask('stop kept', () => void this.inner.setStopped(stop));
  }

  override async demands(): Promise<number> {
    return 0;
  }

  override async demand(): Promise<void> {}

  override async wantRebuild(): Promise<void> {}

  override async isRebuildWanted(): Promise<boolean> {
    return this.inner.tables.isRebuildWanted;
  }

  override tile(place: TilePlace): Promise<Uint8Array | null> {
    return this.inner.tile(place);
  }

  override placeOf(): Promise<StreamPlace | null> {
    throw new Error('nobody exports here');
  }

  private ask<T>(label: string, work: () => T): Promise<T> {
    return askDatabase(this.world, this.owner, label, work);
  }
}

/** A log whose servers are behind for long looks like an older one: what counts is that this passes. */
class Patient extends Logger {
  constructor(private readonly inner: Logger) {
    super();
  }

  override debug(fields: object, message: string): void {
    this.inner.debug(fields, message);
  }

  override info(fields: object, message: string): void {
    this.inner.info(fields, message);
  }

  override warn(fields: object, message: string): void {
    this.inner.warn(fields, message);
  }

  override error(fields: object, message: string): void {
    if (message.startsWith('nothing more is sealed')) this.inner.warn(fields, message);
    else this.inner.error(fields, message);
  }
}

interface SimSealerPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
}

/** Seals as long as the worker lives; `end` ends that in order. */
export function startSealer(
  shared: SharedSeals,
  world: SimWorld,
  owner: Owner,
  ports: SimSealerPorts,
): { end(): Promise<void> } {
  const stopping = new AbortController();
  let sealer: Sealer | null = null;
  const witnesses: SealWitnesses = {
    isEmpty: false,
    lacksQuorum: () => true,
    learn: () => undefined,
    latest: async () => [],
    cosign: async (note) => {
      shared.told.add(parseNote(note)!.text);
      return { cosignatures: [], conflicts: [] };
    },
  };
  ports.background.start('begin to seal', async () => {
    const signed = new SimSigned(shared, world, owner);
    const keys = await keysOf({ ...ports, signed }, stopping.signal);
    if (stopping.signal.aborted) return;
    const store = new SimProofStore(shared, world, owner);
    // Others are not asked over the tables: nobody here demands a seal.
    const logger = world.isExclusive ? ports.logger : new Patient(ports.logger);
    const log = new ProvenLog(ports.log);
    sealer = new Sealer({ ...ports, log, logger, keys, store, signed, witnesses }, { isShared: false });
    sealer.start();
  });
  return {
    async end() {
      stopping.abort();
      await sealer?.stop(3_000);
    },
  };
}

async function keysOf(
  ports: SimSealerPorts & { readonly signed: SignedStates },
  signal: AbortSignal,
): Promise<LogKeys> {
  const box = { derive: (purpose: string) => Buffer.from(sha256(utf8(purpose))) };
  for (;;) {
    const keys = new LogKeys(SIM_ORIGIN, { ...ports, box });
    try {
      await keys.start(signal);
      return keys;
    } catch {
      await ports.clock.sleep(RETRY_MS, signal).catch(() => undefined);
      if (signal.aborted) return keys;
    }
  }
}
