import { encodeMeta, openData, sealData, StoredEvent, type Upcast } from '../codec.js';
import type { EventMeta, NewEvent } from '../envelope.js';
import type { Expected } from '../event-log.js';
import { safeNumber } from './answers.js';
import {
  type BatchAppendReq,
  type ReadResp,
  shared,
  type StreamIdentifier,
  streams,
  type UUID,
} from './stubs.js';

const JSON_TYPE = 'application/json';

/** The request for an append. Made once and sent as it is at every retry. */
export function appendRequest(append: {
  readonly correlation: string;
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly NewEvent[];
}): BatchAppendReq {
  const options = new streams.BatchAppendReq.Options();
  options.setStreamIdentifier(identifierOf(append.stream));
  expect(options, append.expected);
  const request = new streams.BatchAppendReq();
  request.setCorrelationId(uuidOf(append.correlation));
  request.setOptions(options);
  request.setIsFinal(true);
  // No deadline: it would be a time of day, and the clocks of two machines differ.
  for (const event of append.events) request.addProposedMessages(proposalOf(event));
  return request;
}

function expect(options: BatchAppendReq.Options, expected: Expected): void {
  if (expected === 'any') options.setAny(new shared.Empty());
  else if (expected === 'stream_exists') options.setStreamExists(new shared.Empty());
  else if (expected === 'no_stream' || expected < 0) options.setNoStream(new shared.Empty());
  else options.setStreamPosition(String(expected));
}

function proposalOf(event: NewEvent): BatchAppendReq.ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage();
  message.setId(uuidOf(event.id));
  message.getMetadataMap().set('type', event.type).set('content-type', JSON_TYPE);
  message.setData(bytesOf(sealData(event.json)));
  message.setCustomMetadata(bytesOf(metadataOf(event)));
  return message;
}

// Most events of a run share one meta object, so its text is made once.
const metaTexts = new WeakMap<EventMeta, string>();

/** `{"time":…, …meta}`, with the names that EventStoreDB's own tools know for correlation and causation. */
function metadataOf({ time, meta }: NewEvent): string {
  let text = metaTexts.get(meta);
  if (text === undefined) {
    const { correlationId: $correlationId, causationId: $causationId, ...rest } = meta;
    const isPlain = $correlationId === undefined && $causationId === undefined;
    text = (isPlain ? encodeMeta(meta) : JSON.stringify({ ...rest, $correlationId, $causationId })).slice(1);
    metaTexts.set(meta, text);
  }
  return `{"time":${time},${text}`;
}

const UNKNOWN_META: EventMeta = { schemaVersion: 0, project: '', actor: '' };
const PREFIX_OF_TICKS = 10_000;

/** The event in an answer of the server, under the name that it has without the prefix. */
export function recordedOf(
  record: ReadResp.ReadEvent.RecordedEvent,
  prefix: string,
  upcast: Upcast | undefined,
): StoredEvent {
  const metadata = record.getMetadataMap();
  const { time, meta } = readMetadata(record.getCustomMetadata_asU8());
  return new StoredEvent(
    {
      id: record.getId()?.getString() ?? '',
      type: metadata.get('type') ?? '',
      time: time ?? Math.floor(Number(metadata.get('created') ?? 0) / PREFIX_OF_TICKS),
      json: openData(textOf(record.getData_asU8())),
      data: null,
      meta,
    },
    {
      stream: nameOf(record).slice(prefix.length),
      revision: safeNumber(record.getStreamRevision()),
      position: safeNumber(record.getCommitPosition()),
    },
    upcast,
  );
}

/** The stream's name on the server. */
export const nameOf = (record: ReadResp.ReadEvent.RecordedEvent): string =>
  textOf(record.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array());

/** Someone else may write into our streams: what is not an envelope is shown as one that says nothing. */
function readMetadata(bytes: Uint8Array): { time: number | undefined; meta: EventMeta } {
  try {
    const { time, $correlationId, $causationId, ...rest } = JSON.parse(textOf(bytes)) as Record<
      string,
      unknown
    >;
    const meta = {
      ...UNKNOWN_META,
      ...rest,
      ...($correlationId !== undefined && { correlationId: $correlationId }),
      ...($causationId !== undefined && { causationId: $causationId }),
    } as EventMeta;
    return { time: typeof time === 'number' ? time : undefined, meta };
  } catch {
    return { time: undefined, meta: UNKNOWN_META };
  }
}

export function uuidOf(id: string): UUID {
  const uuid = new shared.UUID();
  uuid.setString(id);
  return uuid;
}

export function identifierOf(stream: string): StreamIdentifier {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(bytesOf(stream));
  return identifier;
}

const encoder = new TextEncoder();
const bytesOf = (text: string): Uint8Array => encoder.encode(text);
const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
