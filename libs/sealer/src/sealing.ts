import { type EventLog, type Position, hashOfEvent, eventAt } from '#event-log';
import type { Clock, Random } from '#platform';
import { DirectoryNodes, checkpointText, toHex } from '#proof';
import { KeptSeals, type SignedStates } from './kept-seals.js';
import type { LogKeys } from './log-keys.js';
import { LogPages } from './log-pages.js';
import { type LoggedSeal, isHouseStream } from './proof-log.js';
import { type Seal, type TreeState, isFresh } from './seal.js';
import { SealLog } from './seal-log.js';
import { Overtaken, SealingStopped } from './sealing-stopped.js';
import type { ProofStore, TreeTables } from './tables/proof-store.js';
import { EVENTS_AT_ONCE, TreeFiller } from './tree-filler.js';
import { TreeHeads } from './tree-heads.js';
import { type GrownTree, TreeWriter } from './tree-writer.js';
import { type SealWitnesses, WitnessRound } from './witness-round.js';

export interface SealingPorts {
  readonly log: EventLog;
  readonly keys: LogKeys;
  readonly signed: SignedStates;
  readonly store: ProofStore;
  readonly witnesses: SealWitnesses;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Signs what the log holds, seal by seal. Three places know how far it is: the key store (what was signed), the tables (the
 * tree), the log (what was told). They are brought on in this order, so that whatever breaks off can be gone on with, and
 * nothing is ever signed twice:
 * 1. What was signed is kept before any signature leaves the process; whoever keeps it first goes on, others read again.
 * 2. A seal that was signed is finished before the next one is made.
 * 3. Where what is kept cannot have come from this log, nothing more is signed.
 */
export class Sealing {
  private readonly kept: KeptSeals;
  private readonly seals: SealLog;
  private readonly filler: TreeFiller;
  private readonly round: WitnessRound;
  private tree: TreeState | null = null;
  private nodes = new DirectoryNodes();
  /** Up to here there is nothing behind the seal but the house's own. */
  private lookedTo: Position = 0;
  private hasAsked = false;

  constructor(private readonly ports: SealingPorts) {
    const { keys, signed, store, witnesses } = ports;
    this.kept = new KeptSeals(keys.origin, signed);
    this.seals = new SealLog(keys.origin, ports);
    this.filler = new TreeFiller({ ...ports, seals: this.seals });
    this.round = new WitnessRound(witnesses, keys, new TreeHeads(store));
  }

  /** Finishes what was begun, and reads what is known. @throws SealingStopped, Overtaken */
  async begin(): Promise<void> {
    const { store, keys } = this.ports;
    const { stop } = await store.status();
    // Only witnesses can know, and they may be silent today.
    if (stop?.origin === keys.origin && stop.reason === 'log_forked')
      throw new SealingStopped(stop.reason, stop.detail);
    const [kept, logged] = [await this.kept.read(), await this.seals.last()];
    await this.check(kept, logged);
    this.tree = await this.broughtTo(kept, logged);
    this.nodes = await this.keptNodes();
    this.lookedTo = this.tree?.position ?? 0;
    await this.askOnce();
    if (stop !== null) await store.setStopped(null);
    const { published } = await store.status();
    if (this.tree === null) await store.publish(null);
    else if (logged?.seal !== this.tree.seal) await this.tell(this.tree);
    else if (published?.seal !== logged.seal)
      await store.publish({ seal: logged.seal, note: logged.note, askedAt: 0 });
  }

  /** Seals what came since. False: nothing but the house's own. @throws SealingStopped, Overtaken */
  async seal(): Promise<boolean> {
    const { log, store } = this.ports;
    const kept = await this.kept.read();
    if ((kept?.seal ?? 0) !== (this.tree?.seal ?? 0)) throw new Overtaken('another process has sealed');
    await this.check(kept, null);
    if (!(await this.hasNews(await log.head()))) return false;
    let next: TreeState | null = null;
    await store.write(async (tables, tree) => {
      if (tree?.tree !== this.tree?.tree || tree?.seal !== this.tree?.seal)
        throw new Overtaken('another process has changed the tree');
      next = await this.grown(tables, tree);
      // Invariant 1. The tables are kept only then; should they be lost now, they are made again.
      if (!(await this.kept.save(kept?.seal ?? 0, next))) throw new Overtaken('another process has sealed');
    });
    this.tree = next!;
    this.lookedTo = this.tree.position;
    await this.tell(this.tree);
    return true;
  }

  /** Has the newest seal cosigned again, unless it just was, and by enough. @throws SealingStopped */
  async refresh(): Promise<void> {
    const { store, clock } = this.ports;
    const { tree } = this;
    const { published } = await store.status();
    if (tree === null || published?.seal !== tree.seal || this.round.hasNobody) return;
    const askedAt = clock.now();
    if (isFresh(published, askedAt) && !this.round.lacksQuorum(published)) return;
    await store.publish({ seal: tree.seal, note: await this.round.cosign(tree, published.note), askedAt });
  }

  /** Has it cosigned, says it on the log, and then to the world. */
  private async tell(tree: TreeState): Promise<void> {
    const { store, clock } = this.ports;
    const askedAt = clock.now();
    const note = await this.round.cosign(tree, tree.note);
    const { origin, logId: log, seal, size, events, directory } = tree;
    await this.seals.add({ origin, log, seal, size, events, directory, note });
    await store.publish({ seal, note, askedAt });
  }

  /** Before the first seal of a process. */
  private async askOnce(): Promise<void> {
    if (this.hasAsked) return;
    const { published } = await this.ports.store.status();
    if (published !== null) this.round.learn(published);
    await this.round.lookForFork(this.tree);
    this.hasAsked = true;
  }

  /** The tables at what is kept. */
  private async broughtTo(kept: Seal | null, logged: LoggedSeal | null): Promise<TreeState | null> {
    const { store } = this.ports;
    const isOlder = (kept?.seal ?? 0) < (logged?.seal ?? 0);
    const tree = await store.tree();
    const isWanted = await store.isRebuildWanted();
    const target = isOlder ? null : kept;
    const fits = !isWanted && !isOlder && this.isOf(tree, kept);
    if (fits && tree?.seal === kept?.seal) return tree;
    const from = fits ? tree : null;
    const filled = await this.filled(from, target);
    // The key store was older than the log, or is a new one: it takes what the log says.
    if (isOlder && filled !== null && !(await this.kept.save(kept?.seal ?? 0, filled)))
      throw new Overtaken('another process has sealed');
    return filled;
  }

  private isOf(tree: TreeState | null, kept: Seal | null): boolean {
    if (tree === null || kept === null) return tree === kept;
    const { origin } = this.ports.keys;
    const isSame = tree.origin === origin && tree.logId === kept.logId && tree.seal <= kept.seal;
    return isSame && (tree.seal < kept.seal || tree.note === kept.note);
  }

  private async filled(from: TreeState | null, kept: Seal | null): Promise<TreeState | null> {
    const { store } = this.ports;
    const nodes = from === null ? new DirectoryNodes() : await this.keptNodes();
    let filled: TreeState | null = null;
    await store.write(async (tables, tree) => {
      if (from !== null && (tree?.tree !== from.tree || tree.seal !== from.seal))
        throw new Overtaken('another process has changed the tree');
      filled = await this.filler.make(tables, from, nodes, kept);
    });
    return filled;
  }

  private async keptNodes(): Promise<DirectoryNodes> {
    const nodes = new DirectoryNodes();
    for (const { bucket, count, node } of await this.ports.store.buckets()) nodes.set(bucket, count, node);
    return nodes;
  }

  /** Invariant 3. @param logged what the log says last; null: not asked now, or nothing */
  private async check(kept: Seal | null, logged: LoggedSeal | null): Promise<void> {
    if (kept === null) return;
    if (kept.logId !== this.ports.log.logId)
      throw new SealingStopped('log_changed', 'what was signed under this origin was signed of another log');
    const isBehind = logged !== null && kept.seal > logged.seal + 1;
    if (isBehind || !(await this.isOnLog(kept)))
      throw new SealingStopped(
        'log_rolled_back',
        `the log is older than seal ${kept.seal}, which was signed: it was restored from a backup`,
      );
  }

  private async isOnLog({ last: { stream, revision, hash } }: Seal): Promise<boolean> {
    const event = await eventAt(this.ports.log, stream, revision, { isRaw: true });
    return event?.raw !== undefined && hashOfEvent(event, event.raw) === hash;
  }

  /** Whether something of another than a house stream came. */
  private async hasNews(head: Position): Promise<boolean> {
    if (head <= this.lookedTo) return false;
    for await (const { events, position } of this.ports.log.readHashes(this.lookedTo)) {
      if (events.some(({ stream }) => !isHouseStream(stream))) return true;
      this.lookedTo = position;
    }
    return false;
  }

  private async grown(tables: TreeTables, tree: TreeState | null): Promise<TreeState> {
    const { log, random, clock } = this.ports;
    // A tree of another origin may stand there.
    if (tree === null) await tables.clear();
    const writer = new TreeWriter(tables, this.nodes, clock, tree ?? { size: 0, events: 0, edge: [] });
    const head = await log.head();
    const pages = new LogPages(log, tree?.position ?? 0);
    try {
      for (let position = 0; position < head;) {
        const events = (await pages.take(EVENTS_AT_ONCE)).filter((event) => event.position <= head);
        if (events.length === 0) break;
        await writer.add(events);
        position = events.at(-1)!.position;
      }
    } finally {
      await pages.close();
    }
    const seal = (tree?.seal ?? 0) + 1;
    const grown = await writer.seal(seal);
    const sealed = this.signed(grown, seal, tree?.tree ?? random.uuid());
    await tables.setTree(sealed);
    return sealed;
  }

  private signed(grown: GrownTree, seal: number, tree: string): TreeState {
    const { keys, log } = this.ports;
    const { root, size, events, last, position, edge, path } = grown;
    const note = keys.sign(checkpointText({ origin: keys.origin, size, root }));
    const at = { size, events, last, position, edge, path, directory: toHex(grown.directory) };
    return { origin: keys.origin, logId: log.logId, tree, seal, note, ...at };
  }
}
