import { PREFIX_BYTES, writePrefix } from './grpc/frames.js';

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/**
 * Writes the few forms of Protocol Buffers that an append has, straight into one buffer, message after message with gRPC's
 * prefix before each. The generated code makes an object of every field first, and costs three times as much
 * (protobuf.dev/programming-guides/encoding).
 */
export class ProtoWriter {
  private buffer: Buffer;
  private at = 0;
  private startOfFrame = 0;

  /** @param room bytes to begin with, or a buffer that is written over */
  constructor(room: number | Buffer) {
    this.buffer = typeof room === 'number' ? Buffer.allocUnsafe(room) : room;
  }

  /** Bytes written so far. */
  get size(): number {
    return this.at;
  }

  finish(): Buffer {
    return this.buffer.subarray(0, this.at);
  }

  /** A message with its prefix: what is written until `endFrame`. */
  beginFrame(): void {
    this.reserve(PREFIX_BYTES);
    this.startOfFrame = this.at;
    this.at += PREFIX_BYTES;
  }

  endFrame(): void {
    writePrefix(this.buffer, this.startOfFrame, this.at - this.startOfFrame - PREFIX_BYTES);
  }

  varintField(field: number, value: number): void {
    this.varint(field * 8 + VARINT);
    this.varint(value);
  }

  textField(field: number, text: string, bytes = Buffer.byteLength(text)): void {
    this.lengthField(field, bytes);
    this.text(text);
  }

  /** The field of a message whose `bytes` are written next. */
  lengthField(field: number, bytes: number): void {
    this.reserve(bytes + 20);
    this.varint(field * 8 + LENGTH_DELIMITED);
    this.varint(bytes);
  }

  /** Within the bytes of a `lengthField`. */
  text(text: string): void {
    this.at += this.buffer.write(text, this.at);
  }

  bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** Below 2^53. */
  varint(value: number): void {
    this.reserve(10);
    let left = value;
    while (left >= 128) {
      this.buffer[this.at++] = (left % 128) + 128;
      left = Math.floor(left / 128);
    }
    this.buffer[this.at++] = left;
  }

  private reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes));
    this.buffer.copy(larger, 0, 0, this.at);
    this.buffer = larger;
  }
}

/** Bytes of a field with its tag (of one byte) and length. */
export const sizeOfField = (bytes: number): number => 1 + sizeOfVarint(bytes) + bytes;

export function sizeOfVarint(value: number): number {
  let bytes = 1;
  for (let left = value; left >= 128; left = Math.floor(left / 128)) bytes += 1;
  return bytes;
}
