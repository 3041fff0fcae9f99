import { type Fork, type SessionId, sessionOfStream, sessionStream } from '#domain';
import {
  EventLog,
  type NewEvent,
  NO_EVENTS,
  type ReadOptions,
  type RecordedEvent,
  StoredEvent,
  newEvent,
} from '#event-log';
import { streamPages } from '../../../libs/event-log/src/paging.js';
import type { SessionLog } from './evidence.js';

const PAGE_EVENTS = 500;

/**
 * A session of a world, and a fork of it, to be read. The fork goes on with what the session itself said from its beginning:
 * so a branch of its own is there that any session could have had.
 */
export class ForkedLog extends EventLog {
  override readonly logId = 'forked';
  override readonly exclusive = true;
  /** Of the parent nothing can be read any more. */
  isParentErased = false;
  private opened: RecordedEvent;
  private readonly erased: readonly RecordedEvent[];

  constructor(
    private readonly parent: SessionLog,
    readonly fork: SessionId,
  ) {
    super();
    const [first] = parent.events;
    if (first === undefined) throw new Error('a session without an event is none');
    this.opened = first;
    this.erased = parent.events.map(
      (event) => new StoredEvent({ ...event, json: '{}', data: null, isErased: true }, event),
    );
  }

  /** The fork is one of here from now on. */
  forkAt(fork: Fork): void {
    const { id, meta, time } = this.opened;
    const opened: NewEvent = newEvent({ id, type: 'session_opened', time, data: fork }, meta);
    this.opened = new StoredEvent(opened, { stream: sessionStream(this.fork), revision: 0, position: 1 });
  }

  /** The fork's own events, the first of which says what it is. */
  get own(): readonly RecordedEvent[] {
    return [this.opened, ...this.parent.events.slice(1)];
  }

  override readStream(stream: string, options: ReadOptions = {}) {
    return streamPages(options, ({ after, backwards, limit }) => {
      const events = this.eventsOf(stream);
      const from = after ?? (backwards ? events.length : NO_EVENTS);
      const many = Math.min(limit, PAGE_EVENTS);
      const page = backwards
        ? events.slice(Math.max(0, Math.min(from, events.length) - many), from).toReversed()
        : events.slice(from + 1, from + 1 + many);
      return Promise.resolve(page);
    });
  }

  private eventsOf(stream: string): readonly RecordedEvent[] {
    if (sessionOfStream(stream) === this.fork) return this.own;
    if (sessionOfStream(stream) !== this.parent.id) return [];
    return this.isParentErased ? this.erased : this.parent.events;
  }

  override append = unheardOf;
  override readAll = unheardOf;
  override subscribeStream = unheardOf;
  override subscribeAll = unheardOf;
  override head = unheardOf;
  override health = unheardOf;
  override close = () => Promise.resolve();
}

function unheardOf(): never {
  throw new Error('it can be read, and nothing else');
}
