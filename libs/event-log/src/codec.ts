import type { EventMeta, NewEvent, RecordedEvent } from './envelope.js';

/**
 * The only place where an event becomes bytes and bytes become an event. Nothing else, SQL included, may look into data.
 * `sealData` and `openData` run next to the file (in the thread of the sqlite log), the rest where the events are used.
 */

/** What crosses to the log's thread and what a row holds: no objects, they are dear to copy. */
export type Field = string | number;

/** Turns data of an older schema version into today's. The stored text never changes. */
export type Upcast = (type: string, schemaVersion: number, data: object) => object;
const asItIs: Upcast = (_type, _version, data) => data;

/** Fields of a row: position, revision, id, type, time, data, meta, stream. Meta or stream '': as in the row before. */
export const ROW_FIELDS = 8;

export const sealData = (json: string): string => json;
export const openData = (stored: string): string => stored;

// Most events of a run share one meta object, so its text is made once.
const metaTexts = new WeakMap<EventMeta, string>();

export function encodeMeta(meta: EventMeta): string {
  let text = metaTexts.get(meta);
  if (text === undefined) metaTexts.set(meta, (text = JSON.stringify(meta)));
  return text;
}

/** Bytes of an event that count against the limits: its data and its meta in UTF-8. */
export function sizeOf(event: NewEvent): number {
  return Buffer.byteLength(event.json) + Buffer.byteLength(encodeMeta(event.meta));
}

/** An event that the log holds. `data` is the writer's own object, or parsed when it is first asked for. */
export class StoredEvent<T extends object = object> implements RecordedEvent<T> {
  readonly id: string;
  readonly type: string;
  readonly time: number;
  readonly json: string;
  readonly meta: EventMeta;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  private known: T | null;
  private readonly upcast: Upcast;

  constructor(
    event: Omit<NewEvent<T>, 'data'> & { data: T | null },
    at: { stream: string; revision: number; position: number },
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
    this.known = event.data;
    this.upcast = upcast;
  }

  get data(): T {
    return (this.known ??= this.upcast(
      this.type,
      this.meta.schemaVersion,
      JSON.parse(this.json) as object,
    ) as T);
  }

  /** As JSON it shows its data and not how it keeps them. */
  toJSON(): object {
    const { id, type, time, meta, stream, revision, position, data } = this;
    return { id, type, time, meta, stream, revision, position, data };
  }
}

/** The events of a page of rows. */
export function decodeRows(rows: readonly Field[], upcast: Upcast = asItIs): StoredEvent[] {
  const events: StoredEvent[] = [];
  let metaText = '';
  let meta: EventMeta | null = null;
  let stream = '';
  for (let i = 0; i < rows.length; i += ROW_FIELDS) {
    const nextMeta = rows[i + 6] as string;
    if (meta === null || (nextMeta !== '' && nextMeta !== metaText)) {
      metaText = nextMeta;
      meta = JSON.parse(metaText) as EventMeta;
    }
    if (rows[i + 7] !== '') stream = rows[i + 7] as string;
    events.push(
      new StoredEvent(
        {
          id: rows[i + 2] as string,
          type: rows[i + 3] as string,
          time: rows[i + 4] as number,
          json: rows[i + 5] as string,
          data: null,
          meta,
        },
        { stream, revision: rows[i + 1] as number, position: rows[i] as number },
        upcast,
      ),
    );
  }
  return events;
}
