import type { ServerResponse } from 'node:http';
import { ClientSink } from '#delivery';
import { type Clock, TransientSet } from '#platform';

/** A client that takes nothing for so long is cut off; it can resume from the log. */
const STALLED_MS = 30_000;
const QUIET_MS = 10_000;
/** The least time between two looks at all streams: what a heartbeat may come later than it is due. */
export const SWEEP_MS = 100;
/** How long a last word may take in a stop. */
const LAST_WORD_MS = 1_000;
/** What a quiet answer says to be alive, and what it says where it ends before it has said all; null: it is cut off. */
export interface QuietForm {
  readonly heartbeat: string;
  readonly goodbye: string | null;
}
const EVENTS: QuietForm = { heartbeat: ':\n\n', goodbye: 'retry: 1000\n\n' };
/** White space before a JSON text is a part of none, and half a text must not be taken for a whole one. */
export const JSON_TEXT: QuietForm = { heartbeat: ' ', goodbye: null };
/** One for all: an AbortSignal without a reason makes a DOMException with a stack each time. */
const GONE = new Error('the client is gone');

/** An SSE answer on a socket. At most one write is outstanding, so a slow client costs one write's memory. */
export class SocketSink extends ClientSink {
  private readonly controller = new AbortController();
  private flushed: (() => void) | null = null;
  /** Writes that have not called back. */
  private pending = 0;
  private writes = 0;
  /** The headers, and a chunk behind them, are with the system: the socket is this answer's alone. */
  private isUnderWay = false;
  /** When something last went to the client, or was taken by it. */
  private movedAt: number;

  constructor(
    private readonly response: ServerResponse,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly form: QuietForm = EVENTS,
  ) {
    super();
    this.movedAt = clock.now();
    response.once('close', () => this.close());
    response.once('error', () => this.close());
  }

  override get gone(): AbortSignal {
    return this.controller.signal;
  }

  /** Sends the headers, where nothing was sent with them yet. */
  begin(): void {
    if (this.writes > 0 || this.response.writableEnded) return;
    this.movedAt = this.clock.now();
    this.response.flushHeaders();
  }

  override write(text: string): Promise<void> | undefined {
    if (this.gone.aborted) return undefined;
    this.writes++;
    this.pending++;
    this.movedAt = this.clock.now();
    if (this.writeChunk(text)) return undefined;
    return new Promise((resolve) => {
      this.flushed = resolve;
    });
  }

  /**
   * A chunk as one string for the socket, behind what the response has let go of: the response would make three writes of
   * it, and cork and uncork the socket around them. Returns whether the system has taken it already.
   */
  private writeChunk(text: string): boolean {
    const { response } = this;
    const { socket } = response;
    const isChunked = this.isUnderWay && response.chunkedEncoding && text !== '';
    if (!isChunked || socket === null || response.writableLength > 0 || response.writableEnded) {
      response.write(text, this.written);
      return false;
    }
    const bytes = Buffer.byteLength(text);
    // The same bytes where all of them are ASCII, but copied at once.
    const encoding = bytes === text.length ? 'latin1' : 'utf8';
    socket.write(`${bytes.toString(16)}\r\n${text}\r\n`, encoding, this.written);
    return socket.writableLength === 0;
  }

  override end(text: string): void {
    if (!this.response.writableEnded) this.response.end(this.gone.aborted ? '' : text);
  }

  /** Ends a stream that has more to come: the client is told to come back and resumes where it was. */
  hangUp(): void {
    const { goodbye } = this.form;
    if (goodbye === null) return this.cutOff();
    if (!this.response.writableEnded) this.response.end(goodbye);
    this.close();
  }

  /** Ends a stream whose client may read no more. */
  cutOff(): void {
    if (!this.response.writableEnded) {
      if (this.form.goodbye === null) this.response.destroy();
      else this.response.end();
    }
    this.close();
  }

  /**
   * Keeps a quiet connection alive, and cuts off a client that does not read. Returns in how many ms there may be
   * something to do again.
   */
  tick(now: number): number {
    // A clock that was set back must not keep it silent.
    this.movedAt = Math.min(this.movedAt, now);
    const quietMs = now - this.movedAt;
    if (this.flushed !== null || this.response.writableLength > 0) {
      if (quietMs > STALLED_MS) this.response.destroy();
      return QUIET_MS;
    }
    if (quietMs < QUIET_MS) return QUIET_MS - quietMs;
    this.movedAt = now;
    this.response.write(this.form.heartbeat);
    return QUIET_MS;
  }

  private readonly written = (): void => {
    this.isUnderWay = true;
    this.pending--;
    this.movedAt = this.clock.now();
    if (this.pending === 0) this.settle();
  };

  private settle(): void {
    const resolve = this.flushed;
    this.flushed = null;
    resolve?.();
  }

  private close(): void {
    this.controller.abort(GONE);
    this.settle();
  }
}

/** The streams that are open, swept together: one timer for all of them, due when the first of them is. */
export class OpenStreams {
  private readonly open = new TransientSet<SocketSink>();
  /** Of them those that have a last word. */
  private readonly speaking = new Set<SocketSink>();
  private cancel: (() => void) | null = null;
  private readonly controller = new AbortController();

  constructor(private readonly clock: Clock) {}

  /** Aborted when answers that wait for something are to end. */
  get ending(): AbortSignal {
    return this.controller.signal;
  }

  get size(): number {
    return this.open.size;
  }

  add(response: ServerResponse, form?: QuietForm): SocketSink {
    const sink = new SocketSink(response, this.clock, form);
    sink.gone.addEventListener('abort', this.open.add(sink), { once: true });
    // One that comes later is due later: none waits for longer than that.
    this.cancel ??= this.clock.timer(QUIET_MS + 1, () => this.sweep());
    return sink;
  }

  /** One that says a last word by itself as soon as `ending` is aborted. */
  addSpeaking(response: ServerResponse): SocketSink {
    const sink = this.add(response);
    this.speaking.add(sink);
    sink.gone.addEventListener('abort', () => this.speaking.delete(sink), { once: true });
    return sink;
  }

  /** Ends all of them; their clients can resume elsewhere or later. */
  async hangUp(): Promise<void> {
    this.controller.abort(GONE);
    for (const sink of this.open) if (!this.speaking.has(sink)) sink.hangUp();
    const late = this.clock.now() + LAST_WORD_MS;
    while (this.speaking.size > 0 && this.clock.now() < late) await this.clock.sleep(SWEEP_MS);
    for (const sink of this.open) sink.hangUp();
    this.cancel?.();
  }

  private sweep(): void {
    const now = this.clock.now();
    let nextMs = QUIET_MS;
    for (const sink of this.open) nextMs = Math.min(nextMs, sink.tick(now));
    // A timer of Node may be a millisecond early.
    const waitMs = Math.max(SWEEP_MS, nextMs + 1);
    this.cancel = this.open.size > 0 ? this.clock.timer(waitMs, () => this.sweep()) : null;
  }
}
