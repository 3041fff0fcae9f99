import type { StreamName } from '#domain';
import {
  encodeMeta,
  sealData,
  type EventMeta,
  type NewEvent,
  type ContentKey,
  type Proof,
  type Row,
} from '#event-log';
import { checkedNumber } from './answers.js';
import type { ServerRecord } from './server-answers.js';

/**
 * An event as it travels to the server and lies there: data and metadata are JSON texts. Sealed data are
 * `{"sealed":"<base64>"}`; the metadata hold time, meta and proof.
 */
export interface WireEvent extends WireData {
  readonly id: string;
  readonly type: string;
  readonly metadata: string;
}

/** Data and commitment (which travels in the metadata) of an event. Made once: a retry sends the same bytes. */
export interface WireData {
  readonly data: string;
  readonly commitment: string;
}

export function wireDataOf(key: ContentKey | null, stream: StreamName, event: NewEvent): WireData {
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
  commitment,
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

interface Metadata extends Proof {
  readonly time: number | undefined;
  readonly meta: EventMeta;
}

/** Someone else may write into our streams: what is not an envelope is shown as one that says nothing. */
function readMetadata(text: string): Metadata {
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

/** The record as a row, of the stream without the prefix. @throws RangeError beyond 2^53 */
export function rowOf(
  record: ServerRecord,
  prefix: string,
): { readonly row: Row; readonly stream: StreamName } {
  const { time, meta, commitment, prev } = readMetadata(record.metadata);
  return {
    row: [
      checkedNumber(record.position),
      checkedNumber(record.revision),
      record.id,
      record.type,
      time ?? Math.floor(record.created / TICKS_PER_MS),
      meta.keyId === undefined ? record.data : bytesIn(record.data),
      JSON.stringify(meta),
      commitment,
      prev,
    ],
    stream: record.stream.slice(prefix.length),
  };
}

/** What is not sealed data opens with no key. In memory of their own: they may go to another thread. */
function bytesIn(data: string): Uint8Array {
  try {
    const { sealed } = JSON.parse(data) as { sealed?: unknown };
    return new Uint8Array(Buffer.from(typeof sealed === 'string' ? sealed : '', 'base64'));
  } catch {
    return new Uint8Array();
  }
}
