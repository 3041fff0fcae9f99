const VARINT = 0;
const LENGTH_DELIMITED = 2;

/**
 * Writes the few forms of Protocol Buffers that an append has, straight into one buffer. The generated code makes an object
 * of every field first, and costs three times as much (protobuf.dev/programming-guides/encoding).
 */
export class ProtoWriter {
  private buffer: Buffer;
  private at = 0;

  constructor(bytes: number) {
    this.buffer = Buffer.allocUnsafe(bytes);
  }

  finish(): Buffer {
    return this.buffer.subarray(0, this.at);
  }

  varintField(field: number, value: number): void {
    this.varint(field * 8 + VARINT);
    this.varint(value);
  }

  textField(field: number, text: string): void {
    this.lengthField(field, Buffer.byteLength(text));
    this.at += this.buffer.write(text, this.at);
  }

  /** The field of a message whose `bytes` are written next. */
  lengthField(field: number, bytes: number): void {
    this.reserve(bytes + 20);
    this.varint(field * 8 + LENGTH_DELIMITED);
    this.varint(bytes);
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
