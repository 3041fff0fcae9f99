import { PREFIX_BYTES } from '../../../libs/event-log/src/eventstoredb/grpc/frames.js';
import { ProtoReader } from '../../../libs/event-log/src/eventstoredb/proto-reader.js';
import { ProtoWriter } from '../../../libs/event-log/src/eventstoredb/proto-writer.js';
import { type PlacedEvent, readEvent, writeEvent } from './messages.js';

const SLAB_BYTES = 1024 * 1024;
const EVENT_BYTES = 600;

/**
 * An event as the server keeps it: the answer that carries it, with its prefix, in a slab of many. A server with a million
 * events as objects, that writes each again for each who reads it, spends its time in the collector.
 */
export class Stored {
  constructor(
    readonly stream: string,
    readonly revision: number,
    readonly position: number,
    readonly slab: Buffer,
    readonly from: number,
    readonly to: number,
  ) {}

  get id(): string {
    return this.event.id;
  }

  get data(): Uint8Array {
    return this.event.data;
  }

  get event(): PlacedEvent {
    return readEvent(new ProtoReader(this.slab, this.from + PREFIX_BYTES, this.to));
  }
}

/** Makes and owns the slabs. */
export class Shelf {
  private slab = Buffer.alloc(0);
  private at = 0;

  /** @param stream a text that is kept anyway */
  put(stream: string, event: PlacedEvent): Stored {
    const writer = new ProtoWriter(EVENT_BYTES);
    writer.beginFrame();
    writeEvent(writer, event);
    writer.endFrame();
    const bytes = writer.finish();
    if (this.at + bytes.length > this.slab.length) {
      this.slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, bytes.length));
      this.at = 0;
    }
    const from = this.at;
    this.at += bytes.copy(this.slab, from);
    return new Stored(stream, event.revision, event.position, this.slab, from, this.at);
  }
}
