import type { Position, Revision, StreamName } from '#domain';
import { ProtoReader } from './proto-reader.js';
import { type Status, streams } from './stubs.js';

/** The answer to one append. */
export interface AppendAnswer {
  /** As it was sent; the server writes some answers in its own spelling. */
  readonly correlation: string;
  readonly success: { readonly last: number; readonly position: Position } | null;
  readonly error: Status | null;
}

/** An event as the server holds it. */
export interface ServerRecord {
  id: string;
  stream: StreamName;
  revision: Revision;
  position: Position;
  type: string;
  /** In ticks of 100 ns. */
  created: number;
  metadata: string;
  data: string;
}

/** Other answers of a read or a subscription only say that it works. (Never a bare null, which would end the stream.) */
export interface ReadAnswer {
  readonly record: ServerRecord | null;
}

const NO_EVENT: ReadAnswer = { record: null };

/** Numbers of the fields, from the generated stubs (streams.proto, shared.proto), against which a test holds them. */
const APPEND = { correlation: 1, error: 2, success: 3 } as const;
const SUCCESS = { revision: 1, position: 3 } as const;
const POSITION_COMMIT = 1;
const UUID = { structured: 1, text: 2 } as const;
const READ_EVENT = 1;
const RESOLVED_EVENT = 1;
const RECORD = { id: 1, stream: 2, revision: 3, commit: 5, header: 6, metadata: 7, data: 8 } as const;
const STREAM_NAME = 3;
const ENTRY = { key: 1, value: 2 } as const;

export function readAppendAnswer(bytes: Buffer): AppendAnswer {
  let correlation = '';
  let success: AppendAnswer['success'] = null;
  for (const reader = new ProtoReader(bytes); reader.next();)
    if (reader.field === APPEND.correlation) correlation = readUuid(reader.message());
    else if (reader.field === APPEND.success) success = readSuccess(reader.message());
    // Rare, so the generated code is fast enough.
    else if (reader.field === APPEND.error) return readWithStubs(bytes);
  // A spelling that is not read here.
  return correlation === '' ? readWithStubs(bytes) : { correlation, success, error: null };
}

function readSuccess(reader: ProtoReader): { last: number; position: Position } {
  const success = { last: 0, position: 0 };
  while (reader.next())
    if (reader.field === SUCCESS.revision) success.last = reader.number();
    else if (reader.field === SUCCESS.position)
      for (const place = reader.message(); place.next();)
        if (place.field === POSITION_COMMIT) success.position = place.number();
  return success;
}

function readWithStubs(bytes: Buffer): AppendAnswer {
  const answer = streams.BatchAppendResp.deserializeBinary(new Uint8Array(bytes));
  const success = answer.getSuccess();
  const id = answer.getCorrelationId();
  const numbers = id?.getStructured();
  return {
    correlation:
      numbers === undefined
        ? (id?.getString() ?? '')
        : uuidOf(numbers.getMostSignificantBits(), numbers.getLeastSignificantBits()),
    success: success
      ? {
          last: Number(success.getCurrentRevision()),
          position: Number(success.getPosition()?.getCommitPosition() ?? 0),
        }
      : null,
    error: answer.getError() ?? null,
  };
}

/** A UUID from two numbers of 64 bits. */
function uuidOf(...halves: [high: string, low: string]): string {
  const hex = halves.map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0')).join('');
  return correlationOf(hex);
}

/** 32 hexadecimal digits as a UUID. */
export const correlationOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;

function readUuid(reader: ProtoReader): string {
  let text = '';
  while (reader.next()) if (reader.field === UUID.text) text = reader.text();
  return text;
}

export function readAnswer(bytes: Buffer): ReadAnswer {
  for (const reader = new ProtoReader(bytes); reader.next();)
    if (reader.field === READ_EVENT)
      for (const event = reader.message(); event.next();)
        if (event.field === RESOLVED_EVENT) return { record: readRecord(event.message()) };
  return NO_EVENT;
}

function readRecord(reader: ProtoReader): ServerRecord {
  const record = {
    id: '',
    stream: '',
    revision: 0,
    position: 0,
    type: '',
    created: 0,
    metadata: '',
    data: '',
  };
  while (reader.next())
    switch (reader.field) {
      case RECORD.id:
        record.id = readUuid(reader.message());
        break;
      case RECORD.stream:
        for (const name = reader.message(); name.next();)
          if (name.field === STREAM_NAME) record.stream = name.text();
        break;
      case RECORD.revision:
        record.revision = reader.number();
        break;
      case RECORD.commit:
        record.position = reader.number();
        break;
      case RECORD.header:
        readHeader(reader.message(), record);
        break;
      case RECORD.metadata:
        record.metadata = reader.text();
        break;
      case RECORD.data:
        record.data = reader.text();
        break;
    }
  return record;
}

const [TYPE, CREATED] = [Buffer.from('type'), Buffer.from('created')];

function readHeader(reader: ProtoReader, record: { type: string; created: number }): void {
  let [isType, isCreated] = [false, false];
  while (reader.next())
    if (reader.field === ENTRY.key) [isType, isCreated] = [reader.is(TYPE), reader.is(CREATED)];
    else if (reader.field === ENTRY.value && isType) record.type = reader.text();
    else if (reader.field === ENTRY.value && isCreated) record.created = Number(reader.text());
}
