/** A message of server-sent events. */
export interface StreamMessage {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/**
 * Reads server-sent events (WHATWG HTML 9.2.6) out of the pieces of a body. Owns what is begun of a line and of a message.
 */
export class MessageReader {
  private rest = '';
  private data: string[] = [];
  private id: string | null = null;
  private event = '';
  private isAfterReturn = false;

  /** The messages that are complete with this piece. */
  push(piece: string): readonly StreamMessage[] {
    const messages: StreamMessage[] = [];
    // A CRLF may be cut between two pieces.
    const fresh = this.isAfterReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.isAfterReturn = piece === '' ? this.isAfterReturn : piece.endsWith('\r');
    const lines = (this.rest + fresh).split(/\r\n|\n|\r/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = line === '' ? this.dispatch() : this.take(line);
      if (message !== null) messages.push(message);
    }
    return messages;
  }

  private take(line: string): null {
    const colon = line.indexOf(':');
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    else if (field === 'event') this.event = value;
    return null;
  }

  private dispatch(): StreamMessage | null {
    const { data, id, event } = this;
    this.data = [];
    this.event = '';
    return data.length === 0 ? null : { id, event: event === '' ? 'message' : event, data: data.join('\n') };
  }
}

/** What an event is to a record whose last one is `last`: ids of a log are contiguous. */
export function placeOf(id: number, last: number): 'next' | 'double' | 'gap' {
  if (id <= last) return 'double';
  return id === last + 1 ? 'next' : 'gap';
}

const WAITS_MS = [500, 1000, 2000, 5000];

/** How long to wait before the n-th try (from 0) to take a lost stream up again, in ms. @param random in [0, 1) */
export function reconnectWaitMs(attempt: number, random: number): number {
  const wait = WAITS_MS[Math.min(attempt, WAITS_MS.length - 1)] ?? 5000;
  return Math.round(wait * (0.8 + 0.4 * random));
}

/** A stream that says nothing for so long is lost. */
export const SILENT_AFTER_MS = 30_000;
/** A page that nobody sees hangs up after so long. */
export const HIDDEN_AFTER_MS = 10_000;
