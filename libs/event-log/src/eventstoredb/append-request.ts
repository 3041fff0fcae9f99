import { encodeMeta, sealData } from '../codec.js';
import type { EventMeta, NewEvent } from '../envelope.js';
import type { Expected } from '../event-log.js';
import { ProtoWriter, sizeOfField, sizeOfVarint } from './proto-writer.js';

/** Numbers of the fields, from the generated stubs (streams.proto, shared.proto), against which a test holds them. */
const REQUEST = { correlation: 1, options: 2, proposal: 3, isFinal: 4 } as const;
const OPTIONS = { stream: 1, position: 2, noStream: 3, any: 4, exists: 5 } as const;
const PROPOSAL = { id: 1, header: 2, metadata: 3, data: 4 } as const;
const ENTRY = { key: 1, value: 2 } as const;
const UUID_TEXT = 2;
const STREAM_NAME = 3;
const KNOWN_TYPES = 1_000;

/**
 * Writes the message BatchAppendReq of an append, in one part. No deadline goes with it: it would be a time of day, and the
 * clocks of two machines differ.
 */
export function writeAppend(
  writer: ProtoWriter,
  correlation: string,
  append: { readonly stream: string; readonly expected: Expected; readonly events: readonly NewEvent[] },
): void {
  const { stream, expected, events } = append;
  writer.beginFrame();
  writeUuid(writer, REQUEST.correlation, correlation);
  const name = Buffer.byteLength(stream);
  const [field, value] = expectation(expected);
  const isPosition = field === OPTIONS.position;
  const options = sizeOfField(sizeOfField(name)) + (isPosition ? 1 + sizeOfVarint(value) : sizeOfField(0));
  writer.lengthField(REQUEST.options, options);
  writer.lengthField(OPTIONS.stream, sizeOfField(name));
  writer.textField(STREAM_NAME, stream, name);
  if (isPosition) writer.varintField(field, value);
  else writer.lengthField(field, 0);
  for (const event of events) writeProposal(writer, event);
  writer.varintField(REQUEST.isFinal, 1);
  writer.endFrame();
}

function expectation(expected: Expected): [field: number, value: number] {
  if (expected === 'any') return [OPTIONS.any, 0];
  if (expected === 'stream_exists') return [OPTIONS.exists, 0];
  if (expected === 'no_stream' || expected < 0) return [OPTIONS.noStream, 0];
  return [OPTIONS.position, expected];
}

function writeProposal(writer: ProtoWriter, event: NewEvent): void {
  const data = sealData(event.json);
  const dataBytes = Buffer.byteLength(data);
  const header = headerOf(event.type);
  const time = `{"time":${event.time},`;
  const meta = metadataOf(event.meta);
  const metadataBytes = time.length + meta.length;
  const size =
    sizeOfField(sizeOfField(event.id.length)) +
    header.length +
    sizeOfField(metadataBytes) +
    sizeOfField(dataBytes);
  writer.lengthField(REQUEST.proposal, size);
  writeUuid(writer, PROPOSAL.id, event.id);
  writer.bytes(header);
  writer.lengthField(PROPOSAL.metadata, metadataBytes);
  writer.text(time);
  writer.bytes(meta);
  writer.textField(PROPOSAL.data, data, dataBytes);
}

/** Ids are plain letters. */
function writeUuid(writer: ProtoWriter, field: number, id: string): void {
  writer.lengthField(field, sizeOfField(id.length));
  writer.textField(UUID_TEXT, id, id.length);
}

// What is the same for many events is made once: the header by type, the rest of the metadata by the object that the events
// of a run share.
const headers = new Map<string, Buffer>();
const metadata = new WeakMap<EventMeta, Buffer>();

function headerOf(type: string): Buffer {
  let header = headers.get(type);
  if (header !== undefined) return header;
  const writer = new ProtoWriter(100);
  writeEntry(writer, 'type', type);
  writeEntry(writer, 'content-type', 'application/json');
  header = writer.finish();
  if (headers.size < KNOWN_TYPES) headers.set(type, header);
  return header;
}

function writeEntry(writer: ProtoWriter, key: string, value: string): void {
  const [keyBytes, valueBytes] = [Buffer.byteLength(key), Buffer.byteLength(value)];
  writer.lengthField(PROPOSAL.header, sizeOfField(keyBytes) + sizeOfField(valueBytes));
  writer.textField(ENTRY.key, key, keyBytes);
  writer.textField(ENTRY.value, value, valueBytes);
}

/** What follows the time in `{"time":…, …meta}`, with the names that EventStoreDB's own tools know for correlation and causation. */
function metadataOf(meta: EventMeta): Buffer {
  let bytes = metadata.get(meta);
  if (bytes !== undefined) return bytes;
  const { correlationId: $correlationId, causationId: $causationId, ...rest } = meta;
  const isPlain = $correlationId === undefined && $causationId === undefined;
  const text = isPlain ? encodeMeta(meta) : JSON.stringify({ ...rest, $correlationId, $causationId });
  bytes = Buffer.from(text.slice(1));
  metadata.set(meta, bytes);
  return bytes;
}
