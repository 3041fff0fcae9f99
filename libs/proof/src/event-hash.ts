import { utf8 } from './bytes.js';
import { sha256 } from './hashing.js';

/** The fields of an event that its hash covers. What it does not have is ''. */
export interface HashedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  /** ms since 1970 */
  readonly time: number;
  readonly project: string;
  readonly actor: string;
  readonly causationId?: string | undefined;
  readonly correlationId?: string | undefined;
  /** Hex. */
  readonly commitment: string;
  /** Hex; '': it was appended without a revision, and hashed without one. */
  readonly prev: string;
}

const FORMAT_VERSION = '1';

/** What an event's hash is the hash of, as docs/log-format.md has it. */
export const hashedText = (event: HashedEvent): string =>
  JSON.stringify([
    FORMAT_VERSION,
    event.stream,
    event.prev === '' ? '' : String(event.revision),
    event.id,
    event.type,
    String(event.schemaVersion),
    String(event.time),
    event.project,
    event.actor,
    event.causationId ?? '',
    event.correlationId ?? '',
    event.commitment,
    event.prev,
  ]);

export const eventHash = (event: HashedEvent): Uint8Array => sha256(utf8(hashedText(event)));
