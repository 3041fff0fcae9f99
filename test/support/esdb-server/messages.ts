import { ProtoReader } from '../../../libs/eventstoredb/src/proto-reader.js';
import { ProtoWriter, sizeOfField, sizeOfVarint } from '../../../libs/eventstoredb/src/proto-writer.js';
import type { Expected, Proposal } from './store.js';

/**
 * The three messages that every append costs, without the generated code, which takes most of a busy server's time. A test
 * holds them against it. Numbers of the fields are those of streams.proto and shared.proto.
 */
export interface AppendPart {
  readonly correlation: string;
  readonly stream: string;
  readonly expected: Expected;
  readonly proposals: Proposal[];
  readonly isFinal: boolean;
}

export function readAppendPart(bytes: Buffer): AppendPart {
  const part = { correlation: '', stream: '', expected: 'any' as Expected, isFinal: false };
  const proposals: Proposal[] = [];
  for (const reader = new ProtoReader(bytes); reader.next();)
    switch (reader.field) {
      case 1:
        part.correlation = readId(reader.message());
        break;
      case 2:
        Object.assign(part, readOptions(reader.message()));
        break;
      case 3:
        proposals.push(readProposal(reader.message()));
        break;
      case 4:
        part.isFinal = reader.number() === 1;
        break;
    }
  return { ...part, proposals };
}

function readOptions(reader: ProtoReader): { stream: string; expected: Expected } {
  let stream = '';
  let expected: Expected = 'any';
  while (reader.next())
    if (reader.field === 1) stream = readName(reader.message());
    else if (reader.field === 2) expected = reader.number();
    else if (reader.field === 3) expected = 'no_stream';
    else if (reader.field === 5) expected = 'stream_exists';
  return { stream, expected };
}

function readProposal(reader: ProtoReader): Proposal {
  let [id, type, contentType] = ['', '', 'application/octet-stream'];
  let data: Uint8Array = EMPTY;
  let metadata: Uint8Array = EMPTY;
  while (reader.next())
    if (reader.field === 1) id = readId(reader.message());
    else if (reader.field === 2) {
      const [key, value] = readEntry(reader.message());
      if (key === 'type') type = value;
      else if (key === 'content-type') contentType = value;
    } else if (reader.field === 3) metadata = reader.raw();
    else if (reader.field === 4) data = reader.raw();
  return { id, type, contentType, data, metadata };
}

const EMPTY: Uint8Array = new Uint8Array();

const textAt = (reader: ProtoReader, field: number): string => {
  let text = '';
  while (reader.next()) if (reader.field === field) text = reader.text();
  return text;
};
const readId = (reader: ProtoReader): string => textAt(reader, 2);
const readName = (reader: ProtoReader): string => textAt(reader, 3);

function readEntry(reader: ProtoReader): [key: string, value: string] {
  const entry: [string, string] = ['', ''];
  while (reader.next()) if (reader.field <= 2) entry[reader.field - 1] = reader.text();
  return entry;
}

/** The answer to an append that is stored. */
export function writeSuccess(
  writer: ProtoWriter,
  { correlation, stream }: Pick<AppendPart, 'correlation' | 'stream'>,
  { revision, position }: { readonly revision: number; readonly position: number },
): void {
  writeId(writer, 1, correlation);
  const place = 2 * (1 + sizeOfVarint(position));
  writer.lengthField(3, 1 + sizeOfVarint(revision) + sizeOfField(place));
  writer.varintField(1, revision);
  writer.lengthField(3, place);
  writer.varintField(1, position);
  writer.varintField(2, position);
  writeName(writer, 4, stream);
}

/** An event in its place. */
export interface PlacedEvent extends Proposal {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  /** In ticks of 100 ns. */
  readonly created: string;
}

/** The answer that carries an event. */
export function writeEvent(writer: ProtoWriter, record: PlacedEvent): void {
  const { id, stream, revision, position, type, contentType, created, metadata, data } = record;
  const sizeOfPosition = 1 + sizeOfVarint(position);
  const size =
    sizeOfField(sizeOfField(id.length)) +
    sizeOfField(sizeOfField(Buffer.byteLength(stream))) +
    (1 + sizeOfVarint(revision)) +
    2 * sizeOfPosition +
    sizeOfField(sizeOfEntry('type', type)) +
    sizeOfField(sizeOfEntry('content-type', contentType)) +
    sizeOfField(sizeOfEntry('created', created)) +
    sizeOfField(metadata.length) +
    sizeOfField(data.length);
  writer.lengthField(1, sizeOfField(size) + sizeOfPosition);
  writer.lengthField(1, size);
  writeId(writer, 1, id);
  writeName(writer, 2, stream);
  writer.varintField(3, revision);
  writer.varintField(4, position);
  writer.varintField(5, position);
  writeEntry(writer, 'type', type);
  writeEntry(writer, 'content-type', contentType);
  writeEntry(writer, 'created', created);
  writeBytes(writer, 7, metadata);
  writeBytes(writer, 8, data);
  writer.varintField(3, position);
}

/** The event that such an answer carries. */
export function readEvent(answer: ProtoReader): PlacedEvent {
  answer.next();
  const resolved = answer.message();
  resolved.next();
  const record = resolved.message();
  const event = { id: '', type: '', contentType: '', data: EMPTY, metadata: EMPTY, stream: '', revision: 0 };
  let position = 0;
  let created = '';
  while (record.next())
    if (record.field === 1) event.id = readId(record.message());
    else if (record.field === 2) event.stream = readName(record.message());
    else if (record.field === 3) event.revision = record.number();
    else if (record.field === 5) position = record.number();
    else if (record.field === 6) {
      const [key, value] = readEntry(record.message());
      if (key === 'type') event.type = value;
      else if (key === 'content-type') event.contentType = value;
      else created = value;
    } else if (record.field === 7) event.metadata = record.raw();
    else if (record.field === 8) event.data = record.raw();
  return { ...event, position, created };
}

const sizeOfEntry = (key: string, value: string): number =>
  sizeOfField(key.length) + sizeOfField(Buffer.byteLength(value));

function writeId(writer: ProtoWriter, field: number, id: string): void {
  writer.lengthField(field, sizeOfField(id.length));
  writer.textField(2, id);
}

function writeName(writer: ProtoWriter, field: number, stream: string): void {
  writer.lengthField(field, sizeOfField(Buffer.byteLength(stream)));
  writer.textField(3, stream);
}

function writeEntry(writer: ProtoWriter, key: string, value: string): void {
  writer.lengthField(6, sizeOfEntry(key, value));
  writer.textField(1, key);
  writer.textField(2, value);
}

function writeBytes(writer: ProtoWriter, field: number, bytes: Uint8Array): void {
  writer.lengthField(field, bytes.length);
  writer.bytes(bytes);
}
