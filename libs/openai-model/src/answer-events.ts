import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';

/** A line of JSON that does not parse is the first of many; after so many tries all of it is waited for. */
const maxTries = 4;

/**
 * Splits a response body into records, whatever its content type says: server-sent events, JSON lines, or one JSON
 * value. Owns the incomplete record.
 */
export class AnswerEvents {
  private readonly decoder = new StringDecoder('utf8');
  private readonly parser;
  private form: 'unknown' | 'stream' | 'json' = 'unknown';
  /** Of JSON: what is not handed on yet. */
  private waiting: string[] = [];
  private tries = 0;

  /** @param onEvent takes the text of each, and the name that its record had */
  constructor(private readonly onEvent: (data: string, name: string | undefined) => void) {
    this.parser = createParser({
      onEvent: ({ data, event }) => onEvent(data, event),
      // What a server says in the middle of a stream without the form of one.
      onError: ({ line }) => {
        if (line !== undefined && isJson(line.trim())) onEvent(line, undefined);
      },
    });
  }

  /** It is no event stream. */
  get isJson(): boolean {
    return this.form === 'json';
  }

  feed(bytes: Buffer): void {
    this.take(this.decoder.write(bytes));
  }

  /** Nothing else comes: what is there of a last record that was not closed counts. */
  end(): void {
    this.take(this.decoder.end());
    if (this.form === 'stream') return this.parser.feed('\n\n');
    const text = this.waiting.join('');
    this.waiting = [];
    if (text.trim() !== '') this.onEvent(text, undefined);
  }

  private take(text: string): void {
    if (this.form === 'stream') return this.parser.feed(text);
    if (this.form === 'json') return this.takeJson(text);
    // A byte order mark is white space, too.
    const start = text.trimStart();
    if (start === '') return;
    this.form = start.startsWith('{') || start.startsWith('[') ? 'json' : 'stream';
    this.take(start);
  }

  private takeJson(text: string): void {
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      this.waiting.push(text.slice(from, at + 1));
      from = at + 1;
      if (this.tries < maxTries) this.takeLine();
    }
    if (from < text.length) this.waiting.push(text.slice(from));
  }

  private takeLine(): void {
    const line = this.waiting.join('').trim();
    if (line !== '' && !isJson(line)) {
      this.tries++;
      return;
    }
    this.tries = 0;
    this.waiting = [];
    if (line !== '') this.onEvent(line, undefined);
  }
}

function isJson(text: string): boolean {
  if (!text.endsWith('}') && !text.endsWith(']')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
