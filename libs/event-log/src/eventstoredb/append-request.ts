import type { Expected } from '../event-log.js';
import { ProtoWriter, sizeOfField, sizeOfVarint } from './proto-writer.js';
import type { WireEvent } from './wire-event.js';

/** Numbers of the fields, from the generated stubs (streams.proto, shared.proto), against which a test holds them. */
const REQUEST = { correlation: 1, options: 2, proposal: 3, isFinal: 4 } as const;
const OPTIONS = { stream: 1, position: 2, noStream: 3, any: 4, exists: 5 } as const;
const PROPOSAL = { id: 1, header: 2, metadata: 3, data: 4 } as const;
const ENTRY = { key: 1, value: 2 } as const;
const UUID_TEXT = 2;
const STREAM_NAME = 3;
const JSON_TYPE = 'application/json';

/**
 * The message BatchAppendReq of an append, in one part. No deadline goes with it: it would be a time of day, and the clocks
 * of two machines differ.
 */
export function encodeAppend(append: {
  readonly correlation: string;
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly WireEvent[];
}): Buffer {
  const { correlation, stream, expected, events } = append;
  const writer = new ProtoWriter(512 * events.length);
  writeUuid(writer, REQUEST.correlation, correlation);
  const name = Buffer.byteLength(stream);
  const [field, value] = expectation(expected);
  const isPosition = field === OPTIONS.position;
  const options = sizeOfField(sizeOfField(name)) + (isPosition ? 1 + sizeOfVarint(value) : sizeOfField(0));
  writer.lengthField(REQUEST.options, options);
  writer.lengthField(OPTIONS.stream, sizeOfField(name));
  writer.textField(STREAM_NAME, stream);
  if (isPosition) writer.varintField(field, value);
  else writer.lengthField(field, 0);
  for (const event of events) writeProposal(writer, event);
  writer.varintField(REQUEST.isFinal, 1);
  return writer.finish();
}

function expectation(expected: Expected): [field: number, value: number] {
  if (expected === 'any') return [OPTIONS.any, 0];
  if (expected === 'stream_exists') return [OPTIONS.exists, 0];
  if (expected === 'no_stream' || expected < 0) return [OPTIONS.noStream, 0];
  return [OPTIONS.position, expected];
}

function writeProposal(writer: ProtoWriter, event: WireEvent): void {
  const { data, metadata } = event;
  const size =
    sizeOfField(sizeOfText(event.id)) +
    sizeOfField(sizeOfEntry('type', event.type)) +
    sizeOfField(sizeOfEntry('content-type', JSON_TYPE)) +
    sizeOfText(metadata) +
    sizeOfText(data);
  writer.lengthField(REQUEST.proposal, size);
  writeUuid(writer, PROPOSAL.id, event.id);
  writeEntry(writer, 'type', event.type);
  writeEntry(writer, 'content-type', JSON_TYPE);
  writer.textField(PROPOSAL.metadata, metadata);
  writer.textField(PROPOSAL.data, data);
}

function writeUuid(writer: ProtoWriter, field: number, id: string): void {
  writer.lengthField(field, sizeOfText(id));
  writer.textField(UUID_TEXT, id);
}

function writeEntry(writer: ProtoWriter, key: string, value: string): void {
  writer.lengthField(PROPOSAL.header, sizeOfEntry(key, value));
  writer.textField(ENTRY.key, key);
  writer.textField(ENTRY.value, value);
}

const sizeOfText = (text: string): number => sizeOfField(Buffer.byteLength(text));
const sizeOfEntry = (key: string, value: string): number => sizeOfText(key) + sizeOfText(value);
