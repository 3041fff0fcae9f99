import { crc32c } from './kafkajs-internals.js';

/** A message as it is produced. Header names are not repeated. */
export interface PlainMessage {
  readonly key: string | null;
  readonly value: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface BatchFields {
  /** In milliseconds since 1970, of all its messages. */
  readonly time: number;
  readonly isTransactional: boolean;
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly firstSequence: number;
}

/** Before the records: offset, length, leader's epoch, magic, checksum; then what the checksum is of. */
const CRC_AT = 17;
const BODY_AT = 21;
const RECORDS_AT = 61;
const MAGIC = 2;
const TRANSACTIONAL = 16;
const NULL_LENGTH = -1;

/**
 * The bytes of a record batch, version 2 of Kafka's message format
 * (https://kafka.apache.org/documentation/#recordbatch), uncompressed, made in one piece.
 */
export function recordBatch(messages: readonly PlainMessage[], fields: BatchFields): Buffer {
  const lengths = messages.map(lengthsOf);
  const size = lengths.reduce((sum, { body }) => sum + sizeOfVarint(body) + body, RECORDS_AT);
  const bytes = Buffer.allocUnsafe(size);
  writeHead(bytes, messages.length, fields);
  const at = new Cursor(bytes, RECORDS_AT);
  for (const [i, message] of messages.entries()) writeRecord(at, i, message, lengths[i]!);
  bytes.writeUInt32BE(crc32c(bytes.subarray(BODY_AT)), CRC_AT);
  return bytes;
}

function writeHead(bytes: Buffer, count: number, fields: BatchFields): void {
  const time = BigInt(fields.time);
  bytes.writeBigInt64BE(0n, 0);
  bytes.writeInt32BE(bytes.length - 12, 8);
  bytes.writeInt32BE(0, 12);
  bytes.writeInt8(MAGIC, 16);
  bytes.writeInt16BE(fields.isTransactional ? TRANSACTIONAL : 0, BODY_AT);
  bytes.writeInt32BE(count - 1, 23);
  bytes.writeBigInt64BE(time, 27);
  bytes.writeBigInt64BE(time, 35);
  bytes.writeBigInt64BE(fields.producerId, 43);
  bytes.writeInt16BE(fields.producerEpoch, 51);
  bytes.writeInt32BE(fields.firstSequence, 53);
  bytes.writeInt32BE(count, 57);
}

/** Bytes of a record's parts, in their order, and of all that follows its own length. */
interface Lengths {
  readonly parts: readonly number[];
  readonly body: number;
}

function lengthsOf({ key, value, headers = {} }: PlainMessage, ordinal: number): Lengths {
  const parts = [lengthOf(key), lengthOf(value)];
  let count = 0;
  for (const name in headers) {
    parts.push(Buffer.byteLength(name), Buffer.byteLength(headers[name]!));
    count += 1;
  }
  // Attributes and the time's difference take a byte each.
  let body = 2 + sizeOfVarint(ordinal) + sizeOfVarint(count);
  for (const length of parts) body += sizeOfVarint(length) + Math.max(length, 0);
  return { parts, body };
}

function writeRecord(to: Cursor, ordinal: number, message: PlainMessage, { parts, body }: Lengths): void {
  const { key, value, headers = {} } = message;
  to.varint(body);
  to.varint(0);
  to.varint(0);
  to.varint(ordinal);
  to.text(key, parts[0]!);
  to.text(value, parts[1]!);
  to.varint((parts.length - 2) / 2);
  let part = 2;
  for (const name in headers) {
    to.text(name, parts[part]!);
    to.text(headers[name]!, parts[part + 1]!);
    part += 2;
  }
}

const lengthOf = (text: string | null): number => (text === null ? NULL_LENGTH : Buffer.byteLength(text));

/** Small numbers of either sign take few bytes (zigzag, seven bits a byte). */
const zigzag = (value: number): number => (value << 1) ^ (value >> 31);

function sizeOfVarint(value: number): number {
  let size = 1;
  for (let rest = zigzag(value) >>> 7; rest !== 0; rest >>>= 7) size += 1;
  return size;
}

/** A place in bytes that are written from front to back. */
class Cursor {
  constructor(
    private readonly bytes: Buffer,
    private at: number,
  ) {}

  varint(value: number): void {
    let rest = zigzag(value);
    for (; (rest & ~0x7f) !== 0; rest >>>= 7) this.bytes[this.at++] = (rest & 0x7f) | 0x80;
    this.bytes[this.at++] = rest;
  }

  /** Its length before it. */
  text(text: string | null, length: number): void {
    this.varint(length);
    if (text !== null) this.at += this.bytes.write(text, this.at, length);
  }
}
