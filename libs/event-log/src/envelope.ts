import type { Position, Revision, ProjectId, RunId, StreamName } from '#domain';

export type { Position, Revision } from '#domain';

/** The revision of a stream that holds nothing. */
export const NO_EVENTS: Revision = -1;

/** What an envelope says about its event besides the data. Never content. */
export interface EventMeta {
  readonly schemaVersion: number;
  readonly project: ProjectId;
  /** The run that the event belongs to. */
  readonly run?: RunId;
  /** Key id of whoever caused it, or the part of the service that did. */
  readonly actor: string;
  readonly correlationId?: string;
  readonly causationId?: string;
  readonly traceparent?: string;
  /** The key that its data are sealed with; absent: they are not. */
  readonly keyId?: string;
}

/** How a log holds an event, for whoever checks or copies it: a copy keeps the same bytes. */
export interface RawEvent {
  /** Sealed bytes, or JSON text. */
  readonly data: string | Uint8Array;
  /** Hex, as docs/log-format.md says. */
  readonly commitment: string;
  readonly prev: string;
}

/** An event whose bytes are made: encoded once, so that a retry sends the same. */
export interface NewEvent<T extends object = object> {
  /** UUID; the log recognises a repeat by it. */
  readonly id: string;
  readonly type: string;
  /** The writer's time, ms since 1970. */
  readonly time: number;
  readonly data: T;
  /** `data` as JSON text. */
  readonly json: string;
  readonly meta: EventMeta;
  /** Written as it is instead of data. */
  readonly raw?: RawEvent | undefined;
}

/** An event as the log holds it. `data` is parsed when it is first asked for. */
export interface RecordedEvent<T extends object = object> extends NewEvent<T> {
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly position: Position;
  /** Its data are gone, for their key was destroyed: `data` is an empty object. */
  readonly isErased?: boolean;
  /** Its data do not open, now or ever: they were damaged, or their key is lost. `json` is no JSON, `data` throws DataUnreadable. */
  readonly isUnreadable?: boolean;
}

/** An event stands on the log whose data do not open. Trying again does not help. */
export class DataUnreadable extends Error {
  override readonly name = 'DataUnreadable';

  constructor({ type, stream, revision }: Pick<RecordedEvent, 'type' | 'stream' | 'revision'>) {
    super(`the data of ${type} at ${revision} of ${stream} cannot be read`);
  }
}

/**
 * Makes an event's bytes. `data` is plain JSON and is never changed afterwards: local listeners are given this very
 * object. Throws a TypeError for data that JSON cannot hold.
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
