import type { Position, Revision, StreamName } from '#domain';
import type { EventHash } from '#event-log';
import type { Clock } from '#platform';
import {
  type DirectoryNodes,
  type Head,
  TILE_HEIGHT,
  TILE_WIDTH,
  TreeEdge,
  bucketNode,
  bucketOf,
  concat,
  directoryEntry,
  eventEntry,
  leafHash,
  linkOf,
  tagOf,
  toHex,
} from '#proof';
import type { LastEvent } from './seal.js';
import { ENTRIES, type TileGrowth, type TreeTables } from './tables/proof-store.js';

/** Where a tree stands that is gone on with. */
export interface TreeStart {
  readonly size: number;
  readonly events: number;
  readonly edge: readonly Uint8Array[];
}

/** The tree after a directory. */
export interface GrownTree extends TreeStart {
  readonly root: Uint8Array;
  readonly directory: Uint8Array;
  readonly path: readonly Uint8Array[];
  readonly last: LastEvent;
  readonly position: Position;
}

/** Changed buckets that are read at once. */
const BUCKETS_AT_ONCE = 1_024;

/** Streams whose ends are written at once: most have events in many batches of a seal. */
const HEADS_KEPT = 5_000;

/** Half a millisecond of hashing: the streams of the same process do not wait longer for the sealer. */
const EVENTS_A_TURN = 200;

/** An event whose stream has no such place: the log is not one. */
export class StreamBroken extends Error {
  override readonly name = 'StreamBroken';
}

/**
 * Grows the tree by the events of the log, in the order in which the log tells them. Owns what comes into the tables; holds
 * one batch in memory, the ends of streams that are not written yet, and of the directory its upper nodes.
 */
export class TreeWriter {
  private readonly edge: TreeEdge;
  private tiles = new Map<string, { level: number; index: number; parts: Uint8Array[] }>();
  private readonly heads = new Map<StreamName, StreamHead>();
  private readonly changed = new Set<number>();
  private last: {
    readonly stream: StreamName;
    readonly revision: Revision;
    readonly hash: Uint8Array;
  } | null = null;
  private position: Position = 0;
  events: number;

  constructor(
    private readonly tables: TreeTables,
    /** Is changed: of no use any more where the transaction is dropped. */
    private readonly nodes: DirectoryNodes,
    private readonly clock: Clock,
    start: TreeStart,
  ) {
    this.events = start.events;
    this.edge = new TreeEdge(start.size, start.edge, (level, index, node) => {
      if (level % TILE_HEIGHT === 0) this.intoTile(level / TILE_HEIGHT, index, node);
    });
  }

  /** The next events. @throws StreamBroken */
  async add(events: readonly EventHash[]): Promise<void> {
    await this.readHeads(events);
    for (const [at, event] of events.entries()) {
      this.addOne(event, this.heads.get(event.stream)!);
      if (at % EVENTS_A_TURN === EVENTS_A_TURN - 1) await this.clock.turn();
    }
    if (this.heads.size > HEADS_KEPT) await this.writeHeads();
    await this.flush();
  }

  /** Puts the directory behind them. @param seal its number. @throws RangeError where there is no event */
  async seal(seal: number): Promise<GrownTree> {
    if (this.last === null) throw new RangeError('a seal has an event');
    await this.writeHeads();
    await this.updateNodes(seal);
    const { root: directory } = this.nodes;
    const path = [...this.edge.edge].reverse();
    this.push(directoryEntry(directory));
    await this.flush();
    const { size, root, edge } = this.edge;
    const { events, position } = this;
    const last = { ...this.last, hash: toHex(this.last.hash) };
    return { size, root, edge: [...edge], events, directory, path, last, position };
  }

  private addOne(event: EventHash, place: StreamHead): void {
    const { stream, revision, position, hash } = event;
    const next = (place.head?.revision ?? -1) + 1;
    if (revision !== next)
      throw new StreamBroken(`revision ${next} of ${stream} should come at position ${position}`);
    const { tag } = place;
    this.push(eventEntry(tag, revision, hash));
    place.head = { tag, revision, link: linkOf(place.head?.link ?? tag, hash) };
    this.last = { stream, revision, hash };
    this.position = position;
    this.events += 1;
  }

  private push(entry: Uint8Array): void {
    const length = Uint8Array.of(entry.length >> 8, entry.length & 255);
    this.intoTile(ENTRIES, this.edge.size, length, entry);
    this.edge.push(leafHash(entry));
  }

  private intoTile(level: number, at: number, ...parts: readonly Uint8Array[]): void {
    const index = Math.floor(at / TILE_WIDTH);
    const name = `${level}/${index}`;
    const tile = this.tiles.get(name) ?? { level, index, parts: [] };
    this.tiles.set(name, tile);
    tile.parts.push(...parts);
  }

  private async flush(): Promise<void> {
    const growth: TileGrowth[] = [...this.tiles.values()].map(({ level, index, parts }) => ({
      level,
      index,
      bytes: concat(...parts),
    }));
    this.tiles = new Map();
    await this.tables.grow(growth);
  }

  private async readHeads(events: readonly EventHash[]): Promise<void> {
    const unknown = new Map<string, StreamHead>();
    for (const { stream } of events) {
      if (this.heads.has(stream)) continue;
      const place: StreamHead = { tag: tagOf(stream), head: null };
      this.heads.set(stream, place);
      unknown.set(toHex(place.tag), place);
    }
    if (unknown.size === 0) return;
    for (const head of await this.tables.heads([...unknown.values()].map(({ tag }) => tag)))
      unknown.get(toHex(head.tag))!.head = head;
  }

  private async writeHeads(): Promise<void> {
    const set = [...this.heads.values()].flatMap(({ head }) => (head === null ? [] : [head]));
    this.heads.clear();
    for (const { tag } of set) this.changed.add(bucketOf(tag));
    await this.tables.setHeads(set);
  }

  private async updateNodes(seal: number): Promise<void> {
    const changed = [...this.changed];
    this.changed.clear();
    for (let at = 0; at < changed.length; at += BUCKETS_AT_ONCE) {
      const some = changed.slice(at, at + BUCKETS_AT_ONCE);
      const heads = Map.groupBy(await this.tables.headsIn(some), ({ tag }) => bucketOf(tag));
      const buckets = some.map((bucket) => {
        const here = heads.get(bucket) ?? [];
        return { bucket, count: here.length, node: bucketNode(here) };
      });
      for (const { bucket, count, node } of buckets) this.nodes.set(bucket, count, node);
      await this.tables.setBuckets(buckets, seal);
    }
  }
}

interface StreamHead {
  readonly tag: Uint8Array;
  head: Head | null;
}
