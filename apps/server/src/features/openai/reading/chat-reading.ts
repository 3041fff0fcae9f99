import { Injectable } from '@nestjs/common';
import { type ClientSink, onOneLine } from '#delivery';
import { ChatStream, type Passage, RunFace } from '#openai-face';
import { FaceEvents } from './face-events.js';
import { DONE, type FoundResponse, ResponseReading } from './response-reading.js';

type Found = Omit<FoundResponse, 'id'>;

/** Reads runs as chat completions. */
@Injectable()
export class ChatReading {
  constructor(
    private readonly responses: ResponseReading,
    private readonly events: FaceEvents,
  ) {}

  /** Resolves when the run has ended; null: the signal was aborted before. */
  ended(found: Found, signal: AbortSignal): Promise<Passage | null> {
    return this.responses.following(found.place.session, () => this.responses.ended(found, signal));
  }

  /** Sends the chunks as they come. */
  send({ place }: Found, hasUsage: boolean, sink: ClientSink): Promise<void> {
    return this.responses.following(place.session, async () => {
      let text = '';
      const chat = new ChatStream(hasUsage, (chunk) => {
        text += `data: ${onOneLine(JSON.stringify(chunk))}\n\n`;
      });
      const face: RunFace = new RunFace(place.session, () => (event, passage) => chat.hear(event, passage));
      for await (const events of this.events.followed(place, sink.gone)) {
        for (const event of events) face.push(event);
        if (face.current?.end) return sink.end(text + DONE);
        if (text === '') continue;
        const leaving = sink.write(text);
        text = '';
        if (leaving) await leaving;
      }
      sink.end(text);
    });
  }
}
