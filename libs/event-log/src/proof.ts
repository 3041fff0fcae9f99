import type { Revision, StreamName } from '#domain';
import { hash } from 'node:crypto';
import { type HashedEvent, eventHash, hashedText } from '#proof';
import type { EventMeta } from './envelope.js';

/**
 * Tamper evidence: commitments and per-stream hash chains, as docs/log-format.md specifies them for
 * independent verifiers. Hashes are SHA-256, lower-case hex.
 */

/** Stored with an event, to verify that it was not changed. */
export interface Proof {
  readonly commitment: string;
  /**
   * Hash of the preceding event; '': appended without an expected revision, so outside the chain, and covered
   * by the next one's `prev`.
   */
  readonly prev: string;
}

/** The hashed fields of an event, besides its proof. */
export interface ProvenEvent {
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly id: string;
  readonly type: string;
  readonly time: number;
  readonly meta: Pick<EventMeta, 'schemaVersion' | 'project' | 'actor' | 'causationId' | 'correlationId'>;
}

export const sha256 = (bytes: string | Uint8Array): string => hash('sha256', bytes, 'hex');

/** An event without a `prev` was hashed without its revision, which its writer did not know. */
export const hashOfEvent = (event: ProvenEvent, proof: Proof): string =>
  sha256(hashedText(hashedEvent(event, proof)));

/** The same, as bytes. */
export const hashBytesOfEvent = (event: ProvenEvent, proof: Proof): Uint8Array =>
  eventHash(hashedEvent(event, proof));

function hashedEvent(event: ProvenEvent, { commitment, prev }: Proof): HashedEvent {
  const { stream, revision, id, type, time, meta } = event;
  const { schemaVersion, project, actor, causationId, correlationId } = meta;
  const fields = { stream, revision, id, type, time, schemaVersion, project, actor, commitment, prev };
  return { ...fields, causationId, correlationId };
}

/** The end of a stream's hash chain. Push events in order. */
export class StreamChain {
  private last: string;
  private loose: string[] = [];

  constructor(stream: StreamName) {
    this.last = sha256(stream);
  }

  /** `prev` for the next chained event. */
  get prev(): string {
    return this.loose.length === 0 ? this.last : sha256(JSON.stringify([this.last, ...this.loose]));
  }

  /** Appends an event to the chain. Returns its hash. */
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
