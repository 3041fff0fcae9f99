const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/**
 * Walks through the fields of a message of Protocol Buffers without making objects of them. The caller looks at `field`
 * after each `next` and takes the value that he wants.
 */
export class ProtoReader {
  field = 0;
  private wire = 0;
  private value = 0;
  private from = 0;
  private at: number;

  constructor(
    private readonly bytes: Buffer,
    start = 0,
    private readonly end = bytes.length,
  ) {
    this.at = start;
  }

  /** Goes to the next field; false at the end. @throws RangeError for bytes that are no message */
  next(): boolean {
    if (this.at >= this.end) return false;
    const tag = this.varint();
    this.field = Math.floor(tag / 8);
    this.wire = tag % 8;
    if (this.wire === VARINT) this.value = this.varint();
    else if (this.wire === LENGTH_DELIMITED) {
      const length = this.varint();
      this.from = this.at;
      this.at += length;
    } else if (this.wire === FIXED64) this.at += 8;
    else if (this.wire === FIXED32) this.at += 4;
    else throw new RangeError(`a message with a field of kind ${this.wire}`);
    if (this.at > this.end) throw new RangeError('a message that is cut off');
    return true;
  }

  /** A number that is not below 2^53 comes out as the next that a double can hold: check it. */
  number(): number {
    return this.value;
  }

  text(): string {
    return this.bytes.toString('utf8', this.from, this.at);
  }

  /** The value's own bytes, not copied. */
  raw(): Buffer {
    return this.bytes.subarray(this.from, this.at);
  }

  /** Whether the value is these bytes. */
  is(bytes: Buffer): boolean {
    return this.at - this.from === bytes.length && bytes.compare(this.bytes, this.from, this.at) === 0;
  }

  message(): ProtoReader {
    return new ProtoReader(this.bytes, this.from, this.at);
  }

  private varint(): number {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new RangeError('a message that is cut off');
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  }
}
