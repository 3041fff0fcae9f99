import { onOneLine } from '#delivery';
import type { StreamEvent } from '#openai-face';

/** A record of a stream: its type twice, as OpenAI sends it, and JSON on one line however lines are split. */
export const streamRecord = (event: StreamEvent): string =>
  `event: ${event.type}\ndata: ${onOneLine(JSON.stringify(event))}\n\n`;
