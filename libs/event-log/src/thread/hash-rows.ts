import type { Position, Revision, StreamName } from '#domain';
import type { HashBatch } from '../event-log.js';
import { hashBytesOfEvent, type Proof, type ProvenEvent } from '../proof.js';

const HASH_BYTES = 32;
const PLACE_FIELDS = 3;

/** Hashes of events, as posted to another thread. */
export interface HashPage {
  /** Of each event position, revision and stream; '': that of the event before. */
  readonly places: readonly (number | string)[];
  /** One behind the other. */
  readonly hashes: Uint8Array;
}

/** Collects the hashes of a page of events. */
export class HashRows {
  private readonly places: (number | string)[] = [];
  private readonly hashes: Uint8Array[] = [];
  private stream: StreamName = '';

  add(event: ProvenEvent, position: Position, proof: Proof): void {
    const { stream, revision } = event;
    this.places.push(position, revision, stream === this.stream ? '' : stream);
    this.stream = stream;
    this.hashes.push(hashBytesOfEvent(event, proof));
  }

  get page(): HashPage {
    return { places: this.places, hashes: Buffer.concat(this.hashes) };
  }
}

/** What a page of hashes tells. */
export function decodeHashes({ places, hashes }: HashPage, position: Position): HashBatch {
  let stream: StreamName = '';
  const events = Array.from({ length: places.length / PLACE_FIELDS }, (_, at) => {
    const from = at * PLACE_FIELDS;
    stream = (places[from + 2] as StreamName) || stream;
    const hash = hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
    return { position: places[from] as Position, revision: places[from + 1] as Revision, stream, hash };
  });
  return { events, position };
}
