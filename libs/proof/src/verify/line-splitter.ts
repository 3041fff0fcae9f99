import { concat, fromUtf8 } from '../bytes.js';

/** Of one line: an event's text, or a file's, written as JSON. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** Lines of a file that comes in pieces. Owns the piece of a line that is not whole yet. */
export class LineSplitter {
  private rest: Uint8Array[] = [];
  private restBytes = 0;

  /** Whether something came behind the last line feed. */
  get isBroken(): boolean {
    return this.restBytes > 0;
  }

  /** Hands over each whole line, without its line feed, until `take` wants no more. Its answer is what is wrong; null: nothing. */
  push(piece: Uint8Array, take: (line: string) => boolean): string | null {
    let from = 0;
    for (;;) {
      const end = piece.indexOf(LINE_FEED, from);
      const part = piece.subarray(from, end < 0 ? piece.length : end);
      if (this.restBytes + part.length > MAX_LINE_BYTES)
        return `a line is longer than ${MAX_LINE_BYTES} bytes`;
      if (end < 0) {
        this.keep(part);
        return null;
      }
      const line = fromUtf8(this.rest.length === 0 ? part : concat(...this.rest, part));
      [this.rest, this.restBytes] = [[], 0];
      if (line === null) return 'a line is not UTF-8';
      if (!take(line)) return null;
      from = end + 1;
    }
  }

  /** A copy: whoever reads may use its buffer again. */
  private keep(part: Uint8Array): void {
    if (part.length > 0) this.rest.push(part.slice());
    this.restBytes += part.length;
  }
}
