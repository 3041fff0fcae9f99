import type { Revision, StreamName } from '#domain';
import { hash } from 'node:crypto';
import type { EventMeta } from './envelope.js';

/**
 * Commitments and the chain of a stream, as docs/log-format.md describes them for whoever writes a verifier. Hashes are
 * SHA-256, in lower-case hex.
 */

export const FORMAT_VERSION = '1';

/** What stands beside an event so that it can be proved to be what was written. */
export interface Proof {
  readonly commitment: string;
  /** What it follows in its stream; '': it was appended without an expected revision and belongs to the next one's `prev`. */
  readonly prev: string;
}

/** What an event's hash is made of, besides its proof. */
export interface ProvenEvent {
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly id: string;
  readonly type: string;
  readonly time: number;
  readonly meta: Pick<EventMeta, 'schemaVersion' | 'project' | 'actor' | 'causationId' | 'correlationId'>;
}

export const sha256 = (bytes: string | Uint8Array): string => hash('sha256', bytes, 'hex');

/** An event without a `prev` does not know its revision either. */
export function hashOfEvent(event: ProvenEvent, { commitment, prev }: Proof): string {
  const { stream, revision, id, type, time, meta } = event;
  return sha256(
    JSON.stringify([
      FORMAT_VERSION,
      stream,
      prev === '' ? '' : String(revision),
      id,
      type,
      String(meta.schemaVersion),
      String(time),
      meta.project,
      meta.actor,
      meta.causationId ?? '',
      meta.correlationId ?? '',
      commitment,
      prev,
    ]),
  );
}

/** The end of a stream's chain: what the next event refers to. Feed it in order. */
export class StreamChain {
  private last: string;
  private loose: string[] = [];

  constructor(stream: StreamName) {
    this.last = sha256(stream);
  }

  /** The `prev` of the next chained event. */
  get prev(): string {
    return this.loose.length === 0 ? this.last : sha256(JSON.stringify([this.last, ...this.loose]));
  }

  /** Takes the next event. Returns its hash. */
  push(event: ProvenEvent, proof: Proof): string {
    const hashed = hashOfEvent(event, proof);
    if (proof.prev === '') this.loose.push(hashed);
    else {
      this.last = hashed;
      this.loose = [];
    }
    return hashed;
  }

  copy(): StreamChain {
    const chain = new StreamChain('');
    chain.last = this.last;
    chain.loose = [...this.loose];
    return chain;
  }
}
