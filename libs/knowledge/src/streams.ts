import {
  type Datastore,
  type DatastoreEvent,
  type Document,
  type DocumentEvent,
  UnknownEventType,
  datastoreEvent,
  datastoreStream,
  documentEvent,
  documentStream,
  foldDatastore,
  foldDocument,
  isDatastoreId,
  isDocumentId,
  withKeyOf,
  type Revision,
  type StreamName,
} from '#domain';
import {
  type AppendResult,
  type EventLog,
  type Expected,
  NO_EVENTS,
  type RecordedEvent,
  appendUntilDefinite,
  collect,
  newEvent,
} from '#event-log';
import type { Clock, Random } from '#platform';
import { type Author, metaOf } from './ports.js';

export interface StreamPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
}

/** Reads datastores and documents from the log, not from rows: read-your-writes. */
export class KnowledgeStreams {
  constructor(private readonly ports: StreamPorts) {}

  async datastore(id: string): Promise<Datastore | null> {
    if (!isDatastoreId(id)) return null;
    return foldDatastore(id, await this.facts(datastoreStream(id), datastoreEvent));
  }

  /** The document, and the revision of its stream also where there is none any more. */
  async document(id: string): Promise<{ readonly document: Document | null; readonly revision: Revision }> {
    if (!isDocumentId(id)) return { document: null, revision: NO_EVENTS };
    const facts = await this.facts(documentStream(id), documentEvent);
    return { document: foldDocument(id, facts), revision: facts.length - 1 };
  }

  /** Ids of the keys of a datastore, whether it was deleted or not. */
  async keysOf(datastore: string): Promise<readonly string[]> {
    if (!isDatastoreId(datastore)) return [];
    return (await this.facts(datastoreStream(datastore), datastoreEvent)).reduce<readonly string[]>(
      withKeyOf,
      [],
    );
  }

  /** When a datastore was created, or said again under another key, for the last time (ms since 1970); null: there is none. */
  async lastSaidOf(datastore: string): Promise<number | null> {
    const facts = await this.facts(datastoreStream(datastore), datastoreEvent);
    return facts.findLast(({ type }) => type === 'datastore_created')?.time ?? null;
  }

  /** NO_EVENTS where there is no such stream. */
  async lastRevision(stream: StreamName): Promise<number> {
    const [last] = await collect(this.ports.log.readStream(stream, { backwards: true, limit: 1 }));
    return last?.revision ?? NO_EVENTS;
  }

  /**
   * @param sealedWith id of the key that the events are sealed with; absent: they stand in the clear, or in a stream that has none
   * @throws ContentErased where the key is destroyed; LogUnavailable
   */
  append(
    stream: StreamName,
    events: readonly (DatastoreEvent | DocumentEvent)[],
    by: Author,
    expected: Expected,
    sealedWith?: string,
  ): Promise<AppendResult> {
    const { log, clock, random } = this.ports;
    const meta = metaOf(by);
    const encoded = events.map(({ type, data }) =>
      newEvent({ id: random.uuid(), type, time: clock.now(), data }, meta),
    );
    return appendUntilDefinite(log, clock, random, stream, encoded, { expected, sealedWith });
  }

  /** @throws UnknownEventType: nothing is decided on what only a newer version knows */
  private async facts<F>(stream: StreamName, read: (event: RecordedEvent) => F | null): Promise<F[]> {
    const events = await collect(this.ports.log.readStream(stream));
    return events.map((event) => {
      const fact = read(event);
      if (fact === null) throw new UnknownEventType(`no event of ${stream} is called ${event.type}`);
      return fact;
    });
  }
}
