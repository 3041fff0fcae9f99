import {
  type Draft,
  NO_SESSION,
  type SessionState,
  asSessionEvent,
  evolveSession,
  knownSessionEvent,
  type Revision,
  type StreamName,
} from '#domain';
import {
  type AppendResult,
  ContentErased,
  type EventMeta,
  LogUnavailable,
  MAX_APPEND_BYTES,
  type NewEvent,
  NO_EVENTS,
  type RecordedEvent,
  appendUntilDefinite,
} from '#event-log';
import {
  ENVELOPE_BYTES,
  MAX_TEXT,
  NO_META,
  type CommandEntry,
  type JournalListener,
  type JournalPorts,
  type Decide,
  type Entry,
  type FormedBatch,
  type RunDecisionEntry,
  type RunEntry,
  type TextType,
  afterOf,
  cutAt,
  draftsOf,
  isForNext,
  decided,
  refuse,
  settle,
} from './journal-entry.js';
import { EntryQueue } from './entry-queue.js';
import { EventMaker } from './event-maker.js';
import { ClaimLost, type RunWriter } from './run-writer.js';

/**
 * The writing end of one session in this process, and what is known of the session.
 *
 * 1. One append is in flight; what comes meanwhile waits and goes with the next one. The log's pace is the clock.
 * 2. An append is frozen until its outcome is definite: the same bytes, ids and revision.
 * 3. After a conflict the strangers' events are read first; then commands are decided again, and a run's own events are
 *    written behind them with the ids that they have, unless another worker has claimed the run: then they are refused.
 * 4. Listeners hear of events when they are committed, in order, never before.
 */
export class Journal {
  private known: SessionState = NO_SESSION;
  private last = NO_EVENTS;
  private readonly queue = new EntryQueue();
  /** The highest revision that is said to be there; more than `last` while a stranger's event is unread. */
  private heard = NO_EVENTS;
  /** Whether strangers may have written without our hearing of it. */
  private mustRead = false;
  private isBusy = false;
  private isUnsettled = false;
  /** Appends in a row that were refused for an erasure which the log does not say. */
  private unheard = 0;
  private readonly maker: EventMaker;

  constructor(
    readonly stream: StreamName,
    private readonly ports: JournalPorts,
    private readonly listener: JournalListener,
    start?: { readonly state: SessionState; readonly revision: Revision },
  ) {
    this.maker = new EventMaker(ports);
    if (start) ({ state: this.known, revision: this.last } = start);
  }

  /** The session as of the last committed event that this process knows. */
  get state(): SessionState {
    return this.known;
  }

  get revision(): number {
    return this.last;
  }

  /** Whether its first events may be on the log already: an append is under way. */
  get isBeginning(): boolean {
    return this.last === NO_EVENTS && this.isUnsettled;
  }

  get isQuiet(): boolean {
    return !this.isBusy && this.queue.isEmpty;
  }

  /**
   * Writes what `decide` makes of the session's state, decided anew after each conflict. Resolves when it is on the log,
   * or at once where there is nothing to write. @throws what `decide` throws, LogUnavailable (nothing was stored)
   */
  command<T>(meta: EventMeta, decide: Decide<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.enqueue({ kind: 'command', meta, decide, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  /** Adds events of a run that this process drives. They are on the log when a later `settled` resolves. */
  write(writer: RunWriter, drafts: readonly Draft[]): void {
    if (writer.lost) return;
    this.enqueue({ kind: 'events', writer, drafts });
  }

  /** Adds text to a block. Pieces that wait for the same append become one event. */
  writeText(writer: RunWriter, type: TextType, text: string): void {
    if (writer.lost) return;
    for (let rest = this.queue.extend(writer, type, text); rest !== '';) {
      const room = cutAt(rest, MAX_TEXT);
      this.enqueue({ kind: 'text', writer, type, text: rest.slice(0, room) });
      rest = rest.slice(room);
    }
  }

  /**
   * Adds events of a run that depend on what others wrote, decided anew after each conflict. Resolves with them when they
   * are on the log; a log that takes nothing is waited for. @throws ClaimLost, or why the log refused it for good
   */
  decided(writer: RunWriter, decide: RunDecisionEntry['decide']): Promise<readonly Draft[]> {
    return new Promise((resolve, reject) => {
      if (writer.lost) return reject(writer.lost);
      this.enqueue({ kind: 'decision', writer, decide, resolve, reject });
    });
  }

  /** Resolves when everything that this writer wrote so far is on the log. @throws ClaimLost */
  settled(writer: RunWriter): Promise<void> {
    return new Promise((resolve, reject) => {
      if (writer.lost) return reject(writer.lost);
      if (this.isQuiet) return resolve();
      this.enqueue({ kind: 'barrier', writer, resolve, reject });
    });
  }

  get hasRoom(): boolean {
    return this.queue.hasRoom;
  }

  /** Resolves when less than an append's worth of text waits: whoever reads a model stops until then. */
  room(): Promise<void> {
    return this.queue.room();
  }

  /** Others have written up to `revision`, as a follower of the stream heard: what is not known yet is read. */
  learn(revision: Revision): void {
    this.heard = Math.max(this.heard, revision);
    if (this.heard > this.last) this.wake();
  }

  /** Reads what others may have written meanwhile. Resolves when it is known. */
  async refresh(): Promise<void> {
    this.mustRead = true;
    await this.command(NO_META, () => ({ events: [], value: undefined }));
  }

  private enqueue(entry: Entry): void {
    this.queue.push(entry);
    this.wake();
  }

  private wake(): void {
    if (this.isBusy) return;
    this.isBusy = true;
    this.ports.clock.soon(this.begin);
  }

  private readonly begin = (): void => this.ports.start('journal', this.drain);

  private readonly drain = async (): Promise<void> => {
    while (!this.queue.isEmpty || this.heard > this.last) {
      if (this.heard > this.last || this.mustRead) await this.catchUp();
      else {
        const batch = this.form();
        if (batch.events.length === 0) settle(batch);
        else await this.append(batch);
        this.isUnsettled = false;
      }
    }
    this.isBusy = false;
  };

  private append(batch: FormedBatch): Promise<void> {
    const { log, clock, random } = this.ports;
    const expected = this.last === NO_EVENTS ? 'no_stream' : this.last;
    this.isUnsettled = true;
    return appendUntilDefinite(log, clock, random, this.stream, batch.events, { expected }).then(
      (result) => this.appended(batch, result),
      (error: unknown) => this.failed(batch, error),
    );
  }

  private appended(batch: FormedBatch, result: AppendResult): void {
    if (result.kind === 'appended') {
      this.unheard = 0;
      for (const event of batch.recorded) event.position = result.position;
      this.known = batch.state;
      this.tell(batch.recorded);
      return settle(batch);
    }
    this.queue.putBack(batch.entries);
    this.heard = Math.max(this.heard, result.actual);
  }

  /** Takes entries from the queue while they fit into one append, and makes their events. */
  private form(): FormedBatch {
    const batch: FormedBatch = { entries: [], events: [], recorded: [], bytes: 0, state: this.known };
    for (let next = this.queue.first; next !== undefined; next = this.queue.first) {
      if (batch.bytes >= MAX_APPEND_BYTES / 2 || isForNext(next, batch.state, this.known)) break;
      const entry = this.queue.shift();
      batch.entries.push(entry);
      if (entry.kind === 'command') this.decideInto(batch, entry);
      else if (entry.kind !== 'barrier') this.writeInto(batch, entry);
    }
    this.queue.wakeWaiters();
    return batch;
  }

  private decideInto(batch: FormedBatch, entry: CommandEntry): void {
    try {
      const next = this.last + 1 + batch.events.length;
      const decision = entry.decide(batch.state, next);
      entry.answer = () => entry.resolve(decision.value);
      this.addTo(batch, this.maker.make(decision.events, entry.meta));
    } catch (error) {
      // It may be refused because of events before it: they have to be on the log first.
      entry.answer = () => entry.reject(error);
    }
  }

  private writeInto(batch: FormedBatch, entry: RunEntry | RunDecisionEntry): void {
    const { writer } = entry;
    if (!writer.holdsClaim(batch.state)) writer.fail(new ClaimLost(writer.claim.run));
    if (writer.lost) return;
    if (entry.kind === 'decision') this.addTo(batch, this.maker.make(decided(entry, batch), writer.meta));
    else this.addTo(batch, (entry.made ??= this.maker.make(draftsOf(entry), writer.meta)));
  }

  private addTo(batch: FormedBatch, events: readonly NewEvent[]): void {
    for (const event of events) {
      const revision = this.last + 1 + batch.events.length;
      const at = { ...event, stream: this.stream, revision, position: 0 };
      batch.state = evolveSession(batch.state, asSessionEvent(at));
      batch.events.push(event);
      batch.recorded.push(at);
      batch.bytes += Buffer.byteLength(event.json) + ENVELOPE_BYTES;
    }
  }

  /** What strangers wrote. */
  private take(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      const known = knownSessionEvent(event);
      if (known) this.known = evolveSession(this.known, known);
    }
    this.tell(events);
  }

  private tell(events: readonly RecordedEvent[]): void {
    if (events.length === 0) return;
    this.last = events.at(-1)!.revision;
    this.listener.committed(events);
  }

  private async catchUp(): Promise<void> {
    this.mustRead = false;
    const { log, clock } = this.ports;
    try {
      for await (const page of log.readStream(this.stream, afterOf(this.last))) this.take(page);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
    }
    if (this.heard > this.last) await clock.sleep(RETRY_MS);
  }

  /** Commands hear that nothing was stored; what a run wrote waits for better times. */
  private async failed(batch: FormedBatch, error: unknown): Promise<void> {
    // Another process has erased the session: all is decided again on what the log says of it, as after a conflict.
    // A log that was put back from before may never say it.
    const isErased = error instanceof ContentErased && !this.known.isErased;
    const isNews = isErased && ++this.unheard <= MOST_UNHEARD;
    if (isNews) await this.catchUp();
    else if (!(error instanceof LogUnavailable)) return refuse(batch, error);
    this.queue.putBack(batch.entries.filter((entry) => isNews || entry.kind !== 'command'));
    if (!isNews) for (const entry of batch.entries) if (entry.kind === 'command') entry.reject(error);
    if (!this.known.isErased) await this.ports.clock.sleep(RETRY_MS);
  }
}

const RETRY_MS = 200;
/** So often it is looked whether the log says of an erasure what the keys say. */
const MOST_UNHEARD = 50;
