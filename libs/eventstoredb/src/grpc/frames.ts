/** Before each message: one byte that says whether it is compressed, four with its length (gRPC over HTTP/2, "Length-Prefixed-Message"). */
export const PREFIX_BYTES = 5;

/** As the client of EventStoreDB has it: the largest event that the server can hold. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;

/** The message with its prefix. */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  writePrefix(frame, 0, message.length);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

export function writePrefix(buffer: Buffer, at: number, bytes: number): void {
  buffer[at] = 0;
  buffer.writeUInt32BE(bytes, at + 1);
}

/** Puts messages together from the pieces in which they come. Owns the piece of a message that is not whole yet. */
export class FrameReader {
  private pieces: Buffer[] = [];
  private have = 0;
  private needed = PREFIX_BYTES;

  /** The messages that are whole now, as parts of the pieces. @throws RangeError for what cannot be read */
  take(piece: Buffer): Buffer[] {
    this.pieces.push(piece);
    this.have += piece.length;
    if (this.have < this.needed) return [];
    const bytes = this.pieces.length === 1 ? piece : Buffer.concat(this.pieces, this.have);
    const messages: Buffer[] = [];
    let at = 0;
    this.needed = PREFIX_BYTES;
    while (bytes.length - at >= PREFIX_BYTES) {
      const end = at + PREFIX_BYTES + lengthAt(bytes, at);
      if (end > bytes.length) {
        this.needed = end - at;
        break;
      }
      messages.push(bytes.subarray(at + PREFIX_BYTES, end));
      at = end;
    }
    this.have = bytes.length - at;
    this.pieces = this.have === 0 ? [] : [bytes.subarray(at)];
    return messages;
  }
}

function lengthAt(bytes: Buffer, at: number): number {
  if (bytes[at] !== 0) throw new RangeError('the server compresses, which it was not asked for');
  const length = bytes.readUInt32BE(at + 1);
  if (length > MAX_MESSAGE_BYTES) throw new RangeError(`the server sends a message of ${length} bytes`);
  return length;
}
