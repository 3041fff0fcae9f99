import type { Position, Revision, ProjectId, RunId, StreamName } from '#domain';

export type { Position, Revision } from '#domain';

/** The revision of an empty or missing stream. */
export const NO_EVENTS: Revision = -1;

/** Metadata of an event. Never content. */
export interface EventMeta {
  readonly schemaVersion: number;
  readonly project: ProjectId;
  /** The run that the event belongs to. */
  readonly run?: RunId;
  /** Who caused it: a key id, or a component of the service. */
  readonly actor: string;
  readonly correlationId?: string;
  readonly causationId?: string;
  readonly traceparent?: string;
  /** Id of the key that its data are encrypted with; absent: they are not. */
  readonly keyId?: string;
}

/** An event as stored, for verification and copying: a copy keeps the same bytes. */
export interface RawEvent {
  /** Encrypted bytes, or JSON text. */
  readonly data: string | Uint8Array;
  /** Hex; see docs/log-format.md. */
  readonly commitment: string;
  readonly prev: string;
}

/** An event to append, encoded once, so that a retry sends the same bytes. */
export interface NewEvent<T extends object = object> {
  /** UUID; makes appends idempotent. */
  readonly id: string;
  readonly type: string;
  /** The writer's time, ms since 1970. */
  readonly time: number;
  readonly data: T;
  /** `data` as JSON text. */
  readonly json: string;
  readonly meta: EventMeta;
  /** Stored instead of `data`, byte for byte, by a copy. */
  readonly raw?: RawEvent | undefined;
}

/** An event read from the log. `data` is parsed lazily. */
export interface RecordedEvent<T extends object = object> extends NewEvent<T> {
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly position: Position;
  /** Its key was destroyed (crypto-shredding): `data` is an empty object. */
  readonly isErased?: boolean;
  /**
   * Its data can never be decrypted: damaged, or the key is lost. `json` is not JSON, `data` throws
   * DataUnreadable.
   */
  readonly isUnreadable?: boolean;
}

/** The data of a stored event cannot be decrypted. Permanent: a retry does not help. */
export class DataUnreadable extends Error {
  override readonly name = 'DataUnreadable';

  constructor({ type, stream, revision }: Pick<RecordedEvent, 'type' | 'stream' | 'revision'>) {
    super(`the data of ${type} at ${revision} of ${stream} cannot be read`);
  }
}

/**
 * Encodes an event. `data` is plain JSON and must not be changed afterwards: subscribers in this process get
 * this very object.
 * @throws TypeError for data that JSON cannot represent
 */
export function newEvent<T extends object>(
  event: { id: string; type: string; time: number; data: T },
  meta: EventMeta,
): NewEvent<T> {
  return {
    id: event.id,
    type: event.type,
    time: event.time,
    data: event.data,
    json: JSON.stringify(event.data),
    meta,
  };
}
