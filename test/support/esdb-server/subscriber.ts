import { caughtUp, checkpoint, confirmation } from './answers.js';
import type { ServerCall } from './grpc-server.js';
import { drained, filterOf } from './reads.js';
import type { EsdbStore } from './store.js';
import type { Stored } from './stored.js';
import type { ReadReq } from './stubs.js';

const ABORTED = 10;
const CHECKPOINT_EVENTS = 32;

export type Drop = 'too-slow' | 'end' | { readonly code: number };

/**
 * One subscription to all streams. Owns its place.
 * 1. While it catches up it takes what its client has room for; live, it is handed what is stored, and keeps only
 *    `liveBuffer` events for a client that has not taken them: then it is dropped, as the real server does.
 * 2. It begins after its position.
 */
export class Subscriber {
  private next: number;
  private isLive = false;
  private isOver = false;
  private pending: Stored[] = [];
  /** Of those that are pending, how many the client will get. */
  private wanted = 0;
  private unmarked = 0;
  private readonly interval: number;
  private readonly matches: (record: Stored) => boolean;
  private readonly stopListening: () => void;

  constructor(
    private readonly store: EsdbStore,
    private readonly call: ServerCall,
    options: ReadReq.Options,
    private readonly liveBuffer: number,
    private readonly ended: () => void,
  ) {
    const place = options.getAll();
    this.matches = filterOf(options);
    this.interval = CHECKPOINT_EVENTS * (options.getFilter()?.getCheckpointintervalmultiplier() ?? Infinity);
    if (place?.hasEnd()) this.next = store.shelf.length;
    else if (place?.hasPosition())
      this.next = store.indexAt(Number(place.getPosition()?.getCommitPosition()) + 1);
    else this.next = 0;
    this.stopListening = store.listen((records) => this.hear(records));
    call.on('over', () => this.over());
  }

  async start(): Promise<void> {
    this.call.write(confirmation());
    while (!this.isOver && this.next < this.store.shelf.length) {
      this.next += 1;
      if (!this.give(this.store.shelf.at(this.next - 1))) await drained(this.call);
    }
    this.isLive = true;
    if (!this.isOver) this.call.write(caughtUp());
  }

  /** What the server does to it on purpose. */
  drop(how: Drop): void {
    if (this.isOver) return;
    this.over();
    if (how === 'end') this.call.end();
    else if (how === 'too-slow')
      this.call.end({ code: ABORTED, details: 'Consumer too slow to handle event while live' });
    else this.call.end({ code: how.code, details: 'dropped' });
  }

  private hear(records: readonly Stored[]): void {
    if (!this.isLive || this.isOver) return;
    this.next += records.length;
    if (this.pending.length === 0) setImmediate(() => this.flush());
    for (const record of records) {
      this.pending.push(record);
      if (this.matches(record)) this.wanted += 1;
    }
    if (this.wanted > this.liveBuffer) this.drop('too-slow');
  }

  private flush(): void {
    const records = this.pending;
    this.pending = [];
    this.wanted = 0;
    if (!this.isOver) for (const record of records) this.give(record);
  }

  /** False: the client has no room for more. */
  private give(record: Stored): boolean {
    this.unmarked += 1;
    let hasRoom = true;
    if (this.matches(record)) hasRoom = this.call.part(record);
    if (this.unmarked < this.interval) return hasRoom;
    this.unmarked = 0;
    return this.call.write(checkpoint(record.position));
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stopListening();
    this.ended();
  }
}
