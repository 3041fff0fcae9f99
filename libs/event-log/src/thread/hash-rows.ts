import type { Position, Revision, StreamName } from '#domain';
import { splitHashes } from '#proof';
import type { HashBatch } from '../event-log.js';
import { logPages } from '../paging.js';
import { hashBytesOfEvent, type Proof, type ProvenEvent } from '../proof.js';

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

/** What both adapters ask their threads for. */
interface HashQuestion {
  readonly kind: 'all';
  readonly after: Position;
  readonly prefixes: readonly [];
  readonly limit: number;
  readonly isRaw: 'hashes';
}

/** The hashes of the whole log behind a position, at most `limit` with each question. */
export function hashPages(
  after: Position,
  limit: number,
  ask: (question: HashQuestion) => Promise<{ readonly hashed?: HashPage; readonly position: Position }>,
): AsyncIterable<HashBatch> {
  return logPages({ after }, async (place) => {
    const { hashed, position } = await ask({
      kind: 'all',
      after: place,
      prefixes: [],
      limit,
      isRaw: 'hashes',
    });
    return decodeHashes(hashed!, position);
  });
}

function decodeHashes({ places, hashes }: HashPage, position: Position): HashBatch {
  let stream: StreamName = '';
  const events = splitHashes(hashes).map((hash, at) => {
    const from = at * PLACE_FIELDS;
    stream = (places[from + 2] as StreamName) || stream;
    return { position: places[from] as Position, revision: places[from + 1] as Revision, stream, hash };
  });
  return { events, position };
}
