import { PREFIX_BYTES } from '../../../libs/event-log/src/eventstoredb/grpc/frames.js';
import { ProtoReader } from '../../../libs/event-log/src/eventstoredb/proto-reader.js';
import { ProtoWriter } from '../../../libs/event-log/src/eventstoredb/proto-writer.js';
import type { Part } from './grpc-server.js';
import { type PlacedEvent, readEvent, writeEvent } from './messages.js';

const SLAB_BYTES = 1024 * 1024;
const EVENT_BYTES = 600;
const BLOCK_EVENTS = 4_096;

/** An event as the server keeps it: the answer that carries it, with its prefix, in a slab of many. */
export interface Stored extends Part {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly id: string;
  readonly data: Uint8Array;
  readonly event: PlacedEvent;
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
  private used = SLAB_BYTES;
  private readonly streams: string[] = [];

  get length(): number {
    return this.count;
  }

  /** Returns the stream's number, for `put`. */
  addStream(name: string): number {
    return this.streams.push(name) - 1;
  }

  put(stream: number, event: PlacedEvent): void {
    const writer = new ProtoWriter(EVENT_BYTES);
    writer.beginFrame();
    writeEvent(writer, event);
    writer.endFrame();
    const bytes = writer.finish();
    if (this.used + bytes.length > SLAB_BYTES) {
      this.slabs.push(Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, bytes.length)));
      this.used = 0;
    }
    const at = this.count % BLOCK_EVENTS;
    if (at === 0) this.blocks.push(new Block());
    const block = this.blocks.at(-1)!;
    block.positions[at] = event.position;
    block.revisions[at] = event.revision;
    block.streams[at] = stream;
    block.slabs[at] = this.slabs.length - 1;
    block.from[at] = this.used;
    this.used += bytes.copy(this.slabs.at(-1)!, this.used);
    block.to[at] = this.used;
    this.count += 1;
  }

  positionAt(index: number): number {
    return this.blocks[Math.floor(index / BLOCK_EVENTS)]!.positions[index % BLOCK_EVENTS]!;
  }

  at(index: number): Stored {
    const block = this.blocks[Math.floor(index / BLOCK_EVENTS)]!;
    const at = index % BLOCK_EVENTS;
    const slab = this.slabs[block.slabs[at]!]!;
    const [from, to] = [block.from[at]!, block.to[at]!];
    return {
      stream: this.streams[block.streams[at]!]!,
      revision: block.revisions[at]!,
      position: block.positions[at]!,
      slab,
      from,
      to,
      get event() {
        return readEvent(new ProtoReader(slab, from + PREFIX_BYTES, to));
      },
      get id() {
        return this.event.id;
      },
      get data() {
        return this.event.data;
      },
    };
  }
}
