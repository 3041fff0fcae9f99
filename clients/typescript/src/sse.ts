/** One event of an event stream. */
export interface SseRecord {
  readonly id: string;
  readonly data: string;
}

/**
 * Reads an event stream piece by piece (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
 * Owns the record that is not complete yet.
 */
export class SseParser {
  /** What the service asks to wait before the next connection, in milliseconds. */
  retryMs: number | null = null;
  /** Of a line that has not ended. Pieces are only looked at when they come: an event may be megabytes. */
  private rest = '';
  /** A CR at the very end, which may still become CRLF. */
  private held = '';
  private id = '';
  private data: string[] = [];

  /** The records that are complete with this text. */
  push(text: string): SseRecord[] {
    const piece = this.held + text;
    this.held = piece.endsWith('\r') ? '\r' : '';
    const lines = piece.slice(0, piece.length - this.held.length).split(/\r\n|\n|\r/);
    const begun = lines.pop() ?? '';
    const records = lines.flatMap((line) => this.take(this.whole(line)) ?? []);
    this.rest += begun;
    return records;
  }

  private whole(end: string): string {
    const line = this.rest + end;
    this.rest = '';
    return line;
  }

  private take(line: string): SseRecord | null {
    if (line === '') return this.complete();
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === 'data') this.data.push(value);
    else if (name === 'id') this.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    return null;
  }

  private complete(): SseRecord | null {
    const { data, id } = this;
    this.data = [];
    return data.length === 0 ? null : { id, data: data.join('\n') };
  }
}
