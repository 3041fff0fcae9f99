import { encodeMeta, openData, sealData, shownAs, type Upcast, StoredEvent } from '../codec.js';
import type { EventMeta, NewEvent } from '../envelope.js';
import type { ContentKey } from '../keys/content-key.js';
import type { KnownKey } from '../keys/content-keys.js';
import type { Proof } from '../proof.js';
import { checkedNumber } from './answers.js';
import type { ServerRecord } from './server-answers.js';

/**
 * An event as it travels to the server and lies there: data and metadata are JSON texts. Sealed data are
 * `{"sealed":"<base64>"}`; the metadata hold time, meta and proof.
 */
export interface WireEvent {
  readonly id: string;
  readonly type: string;
  readonly metadata: string;
  readonly data: string;
}

/** Data and commitment of an event. Made once: a retry sends the same bytes. */
export interface WireData {
  readonly data: string;
  readonly commitment: string;
}

export function wireDataOf(key: ContentKey | null, stream: string, event: NewEvent): WireData {
  if (event.raw !== undefined) {
    const { data, commitment } = event.raw;
    return { data: asJson(data), commitment };
  }
  const { data, commitment } = sealData(key, stream, event);
  return { data: asJson(data), commitment };
}

export const wireEventOf = (event: NewEvent, { data, commitment }: WireData, prev: string): WireEvent => ({
  id: event.id,
  type: event.type,
  metadata: metadataOf(event, { commitment, prev }),
  data,
});

const asJson = (data: string | Uint8Array): string =>
  typeof data === 'string' ? data : `{"sealed":"${Buffer.from(data).toString('base64')}"}`;

// Most events of a run share one meta object, so its text is made once.
const metaTexts = new WeakMap<EventMeta, string>();

/** `{"time":…, …proof, …meta}`, with the names that EventStoreDB's own tools know for correlation and causation. */
function metadataOf({ time, meta }: NewEvent, { commitment, prev }: Proof): string {
  let text = metaTexts.get(meta);
  if (text === undefined) {
    const { correlationId: $correlationId, causationId: $causationId, ...rest } = meta;
    const isPlain = $correlationId === undefined && $causationId === undefined;
    text = (isPlain ? encodeMeta(meta) : JSON.stringify({ ...rest, $correlationId, $causationId })).slice(1);
    metaTexts.set(meta, text);
  }
  return `{"time":${time},"commitment":"${commitment}","prev":"${prev}",${text}`;
}

const UNKNOWN_META: EventMeta = { schemaVersion: 0, project: '', actor: '' };
const TICKS_PER_MS = 10_000;

export interface Metadata extends Proof {
  readonly time: number | undefined;
  readonly meta: EventMeta;
}

/** Someone else may write into our streams: what is not an envelope is shown as one that says nothing. */
export function readMetadata(text: string): Metadata {
  try {
    const read = JSON.parse(text) as Record<string, unknown>;
    const { time, commitment, prev, $correlationId, $causationId, ...rest } = read;
    const meta = {
      ...UNKNOWN_META,
      ...rest,
      ...($correlationId !== undefined && { correlationId: $correlationId }),
      ...($causationId !== undefined && { causationId: $causationId }),
    } as EventMeta;
    const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
    return {
      time: typeof time === 'number' ? time : undefined,
      meta,
      commitment: textOf(commitment),
      prev: textOf(prev),
    };
  } catch {
    return { time: undefined, meta: UNKNOWN_META, commitment: '', prev: '' };
  }
}

export interface ReadTerms {
  /** Of the streams on the server. */
  readonly prefix: string;
  readonly upcast?: Upcast | undefined;
  readonly keyOf?: (id: string) => KnownKey | undefined;
  /** The event says how it is stored. */
  readonly isRaw?: boolean;
}

/** The event under the name that its stream has without the prefix. @throws RangeError beyond 2^53 */
export function storedEvent(
  record: ServerRecord,
  terms: ReadTerms,
  { time, meta, commitment, prev }: Metadata = readMetadata(record.metadata),
): StoredEvent {
  const { id } = record;
  const at = placeOf(record, terms);
  const data = meta.keyId === undefined ? record.data : bytesIn(record.data);
  const key = meta.keyId === undefined ? null : (terms.keyOf?.(meta.keyId) ?? null);
  return new StoredEvent(
    {
      id,
      type: record.type,
      time: time ?? Math.floor(record.created / TICKS_PER_MS),
      ...shownAs(openData(data, key, at.stream, id)),
      data: null,
      meta,
      ...(terms.isRaw && { raw: { data, commitment, prev } }),
    },
    at,
    terms.upcast,
  );
}

/** An event of our own, of which the record holds the very bytes that were sent. @throws RangeError beyond 2^53 */
export function heardEvent(record: ServerRecord, event: NewEvent, terms: ReadTerms): StoredEvent {
  return new StoredEvent(event, placeOf(record, terms), terms.upcast);
}

const placeOf = ({ stream, revision, position }: ServerRecord, { prefix }: ReadTerms) => ({
  stream: stream.slice(prefix.length),
  revision: checkedNumber(revision),
  position: checkedNumber(position),
});

/** What is not sealed data opens with no key. */
function bytesIn(data: string): Uint8Array {
  try {
    const { sealed } = JSON.parse(data) as { sealed?: unknown };
    return Buffer.from(typeof sealed === 'string' ? sealed : '', 'base64');
  } catch {
    return new Uint8Array();
  }
}
