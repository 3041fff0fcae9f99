import {
  sessionOfRun,
  sessionStream,
  DATASTORE_PREFIX,
  DOCUMENT_PREFIX,
  datastoreStream,
  type SessionId,
  type StreamName,
} from '#domain';
import {
  type EventMeta,
  type NewEvent,
  type EventLog,
  LogUnavailable,
  type ContentKey,
  ContentErased,
  type ContentKeys,
  type KnownKey,
  eventAt,
} from '#event-log';

/** Streams whose key id is cached. */
const KEPT = 20_000;

/**
 * Where appended events go: `first` starts a stream, which may get a new key; `later` is an existing stream, which
 * has its key; `anywhere`: unknown.
 */
export type StreamPart = 'first' | 'later' | 'anywhere';

/** The stream whose key is used: itself or a parent stream; null: its first event names the parent. */
type Owner = { readonly stream: StreamName } | null | 'nobody';

/**
 * Assigns keys to streams. Each session and each datastore has one key, named by its first event, which also encrypts
 * its tasks', deliveries' and documents' streams and its files. Owns a cache of it.
 */
export class StreamKeys {
  private readonly known = new Map<string, string>();
  private readonly drawing = new Map<string, Promise<string>>();
  private readonly drawn = new Set<string>();

  constructor(
    private readonly log: Pick<EventLog, 'readStream'>,
    readonly keys: ContentKeys,
  ) {
    keys.onDestroyed((id) => this.forget(id));
  }

  /** Cached key id of a stream. */
  peek(stream: StreamName, place: StreamPart): string | undefined {
    const id = this.known.get(stream);
    // Another process may have begun the stream with a key of its own.
    return id === undefined || (place !== 'first' && this.drawn.has(id)) ? undefined : id;
  }

  /**
   * Id of the key that the stream's events are encrypted with, loaded; null: none.
   * @throws LogUnavailable
   */
  async of(
    stream: StreamName,
    events: readonly NewEvent[] = [],
    place: StreamPart = 'later',
  ): Promise<string | null> {
    const id = this.peek(stream, place) ?? (await this.find(stream, events, place));
    if (id === null) return null;
    if (this.keys.peek(id) === undefined) await this.keys.load([id]);
    this.keep(stream, id);
    return id;
  }

  /** The key itself, to seal with. @throws ContentErased, LogUnavailable */
  async keyOf(session: SessionId): Promise<ContentKey> {
    const id = await this.of(sessionStream(session), [], 'anywhere');
    const key = id === null ? 'destroyed' : await this.keys.get(id);
    if (key === 'destroyed') throw new ContentErased(`nothing is sealed for ${session} any more`);
    return key;
  }

  get(id: string): Promise<KnownKey> {
    return this.keys.get(id);
  }

  /** Another writer created the stream first: the key drawn here is not its key. */
  async begunByAnother(stream: StreamName): Promise<void> {
    const actual = await this.read(stream);
    if (typeof actual === 'string') this.settle(stream, actual);
  }

  /** The stream now exists. */
  begun(stream: StreamName): void {
    const id = this.known.get(stream);
    if (id !== undefined) this.drawn.delete(id);
  }

  private async find(
    stream: StreamName,
    events: readonly NewEvent[],
    place: StreamPart,
  ): Promise<string | null> {
    const owner = ownerOf(stream, events);
    if (owner === 'nobody') return null;
    // Whatever belongs to a stream comes after it.
    if (owner !== null && owner.stream !== stream) return this.of(owner.stream);
    const there = place === 'first' && owner !== null ? undefined : await this.read(stream);
    if (there === null) return null;
    if (there !== undefined) {
      this.settle(stream, there);
      return there;
    }
    if (place === 'later') throw new LogUnavailable(`a read of ${stream} lags behind`);
    if (owner === null) return null;
    const drawing = this.known.get(stream) ?? this.drawing.get(stream) ?? this.draw(stream);
    if (typeof drawing !== 'string') this.drawing.set(stream, drawing);
    return drawing;
  }

  /** The key drawn for the stream was not used: forget it. */
  private settle(stream: StreamName, actual: string): void {
    const id = this.known.get(stream);
    if (id !== undefined) this.drawn.delete(id);
    this.known.set(stream, actual);
  }

  private async draw(stream: StreamName): Promise<string> {
    try {
      const id = await this.keys.draw();
      this.drawn.add(id);
      this.keep(stream, id);
      return id;
    } finally {
      this.drawing.delete(stream);
    }
  }

  /** Key named by the stream's first event; null: none. undefined: no such event is visible. */
  private async read(stream: StreamName): Promise<string | null | undefined> {
    const first = await eventAt(this.log, stream, 0);
    return first === undefined ? undefined : (first.meta.keyId ?? null);
  }

  private keep(stream: StreamName, id: string): void {
    this.known.delete(stream);
    this.known.set(stream, id);
    if (this.known.size <= KEPT) return;
    for (const [oldest, key] of this.known) {
      if (this.known.size <= KEPT * 0.9) break;
      // Only this process knows it yet.
      if (!this.drawn.has(key)) this.known.delete(oldest);
    }
  }

  private forget(id: string): void {
    for (const [stream, key] of this.known) if (key === id) this.known.delete(stream);
    this.drawn.delete(id);
  }
}

function ownerOf(stream: StreamName, [first]: readonly NewEvent[]): Owner {
  if (stream.startsWith('session-') || stream.startsWith(DATASTORE_PREFIX)) return { stream };
  if (stream.startsWith('delivery-')) {
    const session = sessionOfRun(stream.slice('delivery-'.length));
    return session === null ? 'nobody' : { stream: sessionStream(session) };
  }
  const data: { session?: SessionId; datastore?: string } | undefined = first?.data;
  if (stream.startsWith('task-'))
    return data?.session === undefined ? null : { stream: sessionStream(data.session) };
  if (stream.startsWith(DOCUMENT_PREFIX))
    return data?.datastore === undefined ? null : { stream: datastoreStream(data.datastore) };
  return 'nobody';
}

// Most events of a run share one meta object, and should go on to share one.
const keyedMetas = new WeakMap<EventMeta, EventMeta>();

/** Copy of the event that names its key. */
export function keyed(event: NewEvent, keyId: string): NewEvent {
  if (event.meta.keyId === keyId || event.raw !== undefined) return event;
  let meta = keyedMetas.get(event.meta);
  if (meta?.keyId !== keyId) keyedMetas.set(event.meta, (meta = { ...event.meta, keyId }));
  return { ...event, meta };
}

const openMetas = new WeakMap<EventMeta, EventMeta>();

/** Copy of the event that names no key, whatever it was made of. */
export function unkeyed(event: NewEvent): NewEvent {
  if (event.meta.keyId === undefined || event.raw !== undefined) return event;
  let meta = openMetas.get(event.meta);
  if (meta === undefined) {
    const { keyId: _, ...open } = event.meta;
    openMetas.set(event.meta, (meta = open));
  }
  return { ...event, meta };
}
