import { PREFIX_BYTES } from '../../../libs/eventstoredb/src/grpc/frames.js';
import { ProtoReader } from '../../../libs/eventstoredb/src/proto-reader.js';
import { ProtoWriter } from '../../../libs/eventstoredb/src/proto-writer.js';
import type { Part } from './grpc-server.js';
import { type PlacedEvent, readEvent, writeEvent } from './messages.js';

/** Each slab is as large as all before it, within these: V8 looks through all objects for every few MB of buffers. */
const SMALLEST_SLAB_BYTES = 1024 * 1024;
const LARGEST_SLAB_BYTES = 64 * 1024 * 1024;
const EVENT_BYTES = 16 * 1024;
const BLOCK_EVENTS = 4_096;

/** An event as the server keeps it: the answer that carries it, with its prefix, in a slab of many. */
export class Stored implements Part {
  constructor(
    readonly stream: string,
    readonly revision: number,
    readonly position: number,
    readonly slab: Buffer,
    readonly from: number,
    readonly to: number,
  ) {}

  get event(): PlacedEvent {
    return readEvent(new ProtoReader(this.slab, this.from + PREFIX_BYTES, this.to));
  }

  get id(): string {
    return this.event.id;
  }

  get data(): Uint8Array {
    return this.event.data;
  }
}

class Block {
  readonly positions = new Float64Array(BLOCK_EVENTS);
  readonly revisions = new Float64Array(BLOCK_EVENTS);
  readonly streams = new Uint32Array(BLOCK_EVENTS);
  readonly slabs = new Uint32Array(BLOCK_EVENTS);
  readonly from = new Uint32Array(BLOCK_EVENTS);
  readonly to = new Uint32Array(BLOCK_EVENTS);
}

/**
 * All events, in order, in plain memory: a server with a million events as objects spends its time, and that of whoever is
 * measured beside it, in the collector.
 */
export class Shelf {
  private count = 0;
  private readonly blocks: Block[] = [];
  private readonly slabs: Buffer[] = [];
  private used = 0;
  /** Where an event is written before it is known how long it is. */
  private readonly scratch = Buffer.allocUnsafeSlow(EVENT_BYTES);
  private readonly streams: string[] = [];

  get length(): number {
    return this.count;
  }

  /** Returns the stream's number, for `put`. */
  addStream(name: string): number {
    return this.streams.push(name) - 1;
  }

  put(stream: number, event: PlacedEvent): void {
    const writer = new ProtoWriter(this.scratch);
    writer.beginFrame();
    writeEvent(writer, event);
    writer.endFrame();
    const bytes = writer.finish();
    const slab = this.slabWithRoomFor(bytes.length);
    const at = this.count % BLOCK_EVENTS;
    if (at === 0) this.blocks.push(new Block());
    const block = this.blocks.at(-1)!;
    block.positions[at] = event.position;
    block.revisions[at] = event.revision;
    block.streams[at] = stream;
    block.slabs[at] = this.slabs.length - 1;
    block.from[at] = this.used;
    this.used += bytes.copy(slab, this.used);
    block.to[at] = this.used;
    this.count += 1;
  }

  positionAt(index: number): number {
    return this.blocks[Math.floor(index / BLOCK_EVENTS)]!.positions[index % BLOCK_EVENTS]!;
  }

  at(index: number): Stored {
    const block = this.blocks[Math.floor(index / BLOCK_EVENTS)]!;
    const at = index % BLOCK_EVENTS;
    return new Stored(
      this.streams[block.streams[at]!]!,
      block.revisions[at]!,
      block.positions[at]!,
      this.slabs[block.slabs[at]!]!,
      block.from[at]!,
      block.to[at]!,
    );
  }

  private slabWithRoomFor(bytes: number): Buffer {
    const last = this.slabs.at(-1);
    if (last !== undefined && this.used + bytes <= last.length) return last;
    const size = Math.min(LARGEST_SLAB_BYTES, Math.max(SMALLEST_SLAB_BYTES, (last?.length ?? 0) * 2));
    const slab = Buffer.allocUnsafeSlow(Math.max(size, bytes));
    this.slabs.push(slab);
    this.used = 0;
    return slab;
  }
}
