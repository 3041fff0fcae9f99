import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** What the SDK's server needs so that a broken stream can be resumed. */
export class EventsInMemory implements EventStore {
  private readonly events: {
    id: string;
    stream: string;
    message: Parameters<EventStore['storeEvent']>[1];
  }[] = [];

  storeEvent: EventStore['storeEvent'] = (stream, message) => {
    const id = String(this.events.length);
    this.events.push({ id, stream, message });
    return Promise.resolve(id);
  };

  replayEventsAfter: EventStore['replayEventsAfter'] = async (last, { send }) => {
    const stream = this.events[Number(last)]?.stream ?? '';
    for (const event of this.events.slice(Number(last) + 1))
      if (event.stream === stream && Object.keys(event.message).length > 0)
        await send(event.id, event.message);
    return stream;
  };
}
