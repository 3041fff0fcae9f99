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
  private rest = '';
  private id = '';
  private data: string[] = [];

  /** The records that are complete with this text. */
  push(text: string): SseRecord[] {
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.take(line) ?? []);
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
