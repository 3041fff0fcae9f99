import type { StreamName } from '#domain';
import type { Expected } from '#event-log';
import type { WireEvent } from './wire-event.js';
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
  append: { readonly stream: StreamName; readonly expected: Expected; readonly events: readonly WireEvent[] },
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

function writeProposal(writer: ProtoWriter, event: WireEvent): void {
  const { data, metadata } = event;
  const dataBytes = Buffer.byteLength(data);
  const metadataBytes = Buffer.byteLength(metadata);
  const header = headerOf(event.type);
  const size =
    sizeOfField(sizeOfField(event.id.length)) +
    header.length +
    sizeOfField(metadataBytes) +
    sizeOfField(dataBytes);
  writer.lengthField(REQUEST.proposal, size);
  writeUuid(writer, PROPOSAL.id, event.id);
  writer.bytes(header);
  writer.textField(PROPOSAL.metadata, metadata, metadataBytes);
  writer.textField(PROPOSAL.data, data, dataBytes);
}

/** Ids are plain letters. */
function writeUuid(writer: ProtoWriter, field: number, id: string): void {
  writer.lengthField(field, sizeOfField(id.length));
  writer.textField(UUID_TEXT, id, id.length);
}

// What is the same for all events of a type is made once.
const headers = new Map<string, Buffer>();

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
