import { type EventSourceMessage, createParser } from 'eventsource-parser';
import type { HttpExchange } from '#http';
import { tooLarge } from './mcp-failure.js';

/** Where a stream of events stands, over all its connections. */
export interface StreamPlace {
  /** Of the last event that had one: the stream can be taken up again behind it. */
  lastId?: string;
  /** What the server wants to be waited for before that. */
  retryMs?: number;
}

/** Reads server-sent events until `onEvent` says that it has enough, or the stream ends. @throws McpFailure */
export async function readEvents(
  answer: HttpExchange,
  place: StreamPlace,
  maxEventChars: number,
  onEvent: (event: EventSourceMessage) => boolean,
): Promise<void> {
  const decoder = new TextDecoder();
  let isEnough = false;
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: (event) => {
      if (event.id !== undefined && event.id !== '') place.lastId = event.id;
      if (!isEnough) isEnough = onEvent(event);
    },
    onRetry: (ms) => (place.retryMs = ms),
    onError: ({ type }) => (isTooLarge ||= type === 'max-buffer-size-exceeded'),
  });
  for (;;) {
    const part = await answer.next();
    if (part === undefined) return;
    parser.feed(decoder.decode(part, { stream: true }));
    if (isTooLarge) {
      answer.abort(tooLarge());
      throw tooLarge();
    }
    if (isEnough) return;
  }
}
