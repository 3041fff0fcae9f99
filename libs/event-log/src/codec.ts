import type { Position, Revision, StreamName } from '#domain';
import {
  DataUnreadable,
  type EventMeta,
  type NewEvent,
  type RawEvent,
  type RecordedEvent,
} from './envelope.js';
import { commitmentOf, ContentChanged, type ContentKey, SEAL_BYTES } from './sealing/content-key.js';
import type { KnownKey } from './sealing/content-keys.js';

/**
 * Serialisation of events: the only place where an event becomes bytes and bytes become an event. Nothing
 * else, SQL included, may look into data. `sealData` and `openData` (encryption) run next to the storage, for
 * SQLite in the log's worker thread; the rest where the events are used.
 */

/**
 * Values that are posted between threads and stored in rows: primitives and bytes only, for objects are slow
 * to clone.
 */
export type Field = string | number | Uint8Array;

/** Upcasts data of an older schema version to today's. The stored text never changes. */
export type Upcast = (type: string, schemaVersion: number, data: object) => object;
const asItIs: Upcast = (_type, _version, data) => data;

/**
 * Fields of a row: position, revision, id, type, time, data, meta, stream. An empty meta or stream means: as
 * in the row before.
 */
export const ROW_FIELDS = 8;

/** Associated data of an event's encryption: the data decrypt only in this stream and event. */
const placeOf = (stream: StreamName, id: string): string => JSON.stringify([stream, id]);

/** An event's data as stored: encrypted, or the JSON text itself where the event names no key. */
export function sealData(
  key: ContentKey | null,
  stream: StreamName,
  { id, json }: Pick<NewEvent, 'id' | 'json'>,
): { readonly data: string | Buffer; readonly commitment: string } {
  const data = key === null ? json : key.seal(json, placeOf(stream, id));
  return { data, commitment: commitmentOf(key, id, json) };
}

/** Stands for data that cannot be shown: the key is destroyed, or decryption failed. */
export const ERASED = 0;
export const CHANGED = 1;

/**
 * The JSON text of stored data.
 * @param key that they are encrypted with; null: they are not
 */
export function openData(
  data: string | Uint8Array,
  key: KnownKey | null,
  stream: StreamName,
  id: string,
): string | typeof ERASED | typeof CHANGED {
  if (typeof data === 'string') return data;
  if (key === 'destroyed') return ERASED;
  if (key === null) return CHANGED;
  try {
    return key.open(data, placeOf(stream, id)).toString();
  } catch (error) {
    if (error instanceof ContentChanged) return CHANGED;
    throw error;
  }
}

/** Takes the place of erased data. */
const ERASED_JSON = '{}';
/** Not JSON: marks an event as unreadable; reading its data throws. */
const CHANGED_JSON = '';

/** The JSON text to show for an event, and whether it replaces erased data. */
export function shownAs(opened: string | number): { readonly json: string; readonly isErased: boolean } {
  if (typeof opened === 'string') return { json: opened, isErased: false };
  return opened === ERASED ? { json: ERASED_JSON, isErased: true } : { json: CHANGED_JSON, isErased: false };
}

// Most events of a run share one meta object, so its text is made once.
const metaTexts = new WeakMap<EventMeta, string>();

export function encodeMeta(meta: EventMeta): string {
  let text = metaTexts.get(meta);
  if (text === undefined) metaTexts.set(meta, (text = JSON.stringify(meta)));
  return text;
}

/** Bytes of an event that count against the limits: stored data (base64 if encrypted), and meta as UTF-8. */
export function sizeOf({ json, meta, raw }: NewEvent): number {
  return dataBytes(json, meta, raw?.data) + Buffer.byteLength(encodeMeta(meta));
}

function dataBytes(json: string, { keyId }: EventMeta, raw: string | Uint8Array | undefined): number {
  if (typeof raw === 'object') return base64Bytes(raw.length);
  const bytes = Buffer.byteLength(raw ?? json);
  return keyId === undefined ? bytes : base64Bytes(bytes + SEAL_BYTES);
}

const base64Bytes = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** An event that the log has stored. `data` is the writer's own object, or parsed lazily. */
export class StoredEvent<T extends object = object> implements RecordedEvent<T> {
  readonly id: string;
  readonly type: string;
  readonly time: number;
  readonly json: string;
  readonly meta: EventMeta;
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly position: Position;
  readonly isErased: boolean;
  readonly isUnreadable: boolean;
  readonly raw: RawEvent | undefined;
  private known: T | null;
  private readonly upcast: Upcast;

  constructor(
    event: Omit<NewEvent<T>, 'data'> & { data: T | null; isErased?: boolean },
    at: { stream: StreamName; revision: Revision; position: Position },
    upcast: Upcast = asItIs,
  ) {
    this.id = event.id;
    this.type = event.type;
    this.time = event.time;
    this.json = event.json;
    this.meta = event.meta;
    this.stream = at.stream;
    this.revision = at.revision;
    this.position = at.position;
    this.isErased = event.isErased === true;
    this.raw = event.raw;
    this.isUnreadable = event.raw === undefined && event.data === null && !isReadable(event);
    // What is written as it is stored may be sealed: nobody has opened it, and only who asks for its data has to.
    this.known = event.raw === undefined ? event.data : null;
    this.upcast = upcast;
  }

  /** @throws DataUnreadable */
  get data(): T {
    if (this.isUnreadable) throw new DataUnreadable(this);
    return (this.known ??= this.upcast(
      this.type,
      this.meta.schemaVersion,
      JSON.parse(this.json) as object,
    ) as T);
  }

  /** As JSON it shows its data, not its internals. */
  toJSON(): object {
    const { id, type, time, meta, stream, revision, position, data } = this;
    return { id, type, time, meta, stream, revision, position, data };
  }
}

/** Encrypted data were authenticated; for data in plain text only parsing tells. */
function isReadable({ json, meta }: Pick<NewEvent, 'json' | 'meta'>): boolean {
  if (json === CHANGED_JSON) return false;
  if (meta.keyId !== undefined) return true;
  try {
    const data: unknown = JSON.parse(json);
    return typeof data === 'object' && data !== null;
  } catch {
    return false;
  }
}

/** Rows of a page, some of which may still be encrypted. */
export interface RowPage {
  readonly rows: readonly Field[];
  /** Commitment and `prev` of each row, where requested: then the data are raw, as stored. */
  readonly proofs?: readonly string[];
}

/** The events of a page of rows. `keyOf` gives the keys of those that are still encrypted. */
export function decodeRows(
  { rows, proofs }: RowPage,
  upcast: Upcast = asItIs,
  keyOf: (id: string) => KnownKey | null = () => null,
): StoredEvent[] {
  const events: StoredEvent[] = [];
  let metaText = '';
  let meta: EventMeta | null = null;
  let stream = '';
  for (let i = 0, n = 0; i < rows.length; i += ROW_FIELDS, n += 2) {
    const nextMeta = rows[i + 6] as string;
    if (meta === null || (nextMeta !== '' && nextMeta !== metaText)) {
      metaText = nextMeta;
      meta = JSON.parse(metaText) as EventMeta;
    }
    if (rows[i + 7] !== '') stream = rows[i + 7] as string;
    const id = rows[i + 2] as string;
    const data = rows[i + 5] as Field;
    const key = meta.keyId === undefined || typeof data !== 'object' ? null : keyOf(meta.keyId);
    const shown = shownAs(typeof data === 'object' ? openData(data, key, stream, id) : data);
    const raw = proofs && {
      data: data as string | Uint8Array,
      commitment: proofs[n]!,
      prev: proofs[n + 1]!,
    };
    events.push(
      new StoredEvent(
        {
          id,
          type: rows[i + 3] as string,
          time: rows[i + 4] as number,
          ...shown,
          data: null,
          meta,
          ...(raw && { raw }),
        },
        { stream, revision: rows[i + 1] as number, position: rows[i] as number },
        upcast,
      ),
    );
  }
  return events;
}
