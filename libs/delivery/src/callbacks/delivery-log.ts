import {
  type DeliveryAttempt,
  DeliveryFold,
  asDeliveryEvent,
  deliveryStream,
  type ProjectId,
  type RunId,
  type StreamName,
} from '#domain';
import {
  ContentErased,
  type EventLog,
  type EventMeta,
  LogUnavailable,
  type NewEvent,
  NO_EVENTS,
  type Revision,
  appendUntilDefinite,
  newEvent,
} from '#event-log';
import type { Background, Clock, Random } from '#platform';

export interface DeliveryLogPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  /** Aborted when nothing can be waited for any more. */
  readonly stop: AbortSignal;
}

type Attempted = NewEvent<DeliveryAttempt>;

/** Attempts of so long are written together; with the append itself it is half a second. */
const GATHER_MS = 400;
/** Attempts in one append, each with an answer of 2 KB that JSON may make six times as long. */
const APPEND_EVENTS = 40;
/** Attempts that are not on the log yet; a crash makes them again. */
const UNWRITTEN = 80;
const RETRY_MS = 500;

/**
 * Writer of a run's `delivery-` stream, which records delivery attempts.
 * 1. The folded state includes this relay's attempts that are not written yet.
 * 2. Concurrent writes show as a revision conflict; then the state is folded anew. Attempts are facts, so they are
 *    appended behind whatever came.
 */
export class DeliveryLog {
  private state = new DeliveryFold(false);
  private revision = NO_EVENTS;
  private unwritten: Attempted[] = [];
  private writing: Promise<void> | null = null;
  private cancelTimer: (() => void) | null = null;
  private readonly stream: StreamName;
  private readonly meta: EventMeta;

  constructor(
    private readonly ports: DeliveryLogPorts,
    { run, project }: { readonly run: RunId; readonly project: ProjectId },
  ) {
    this.stream = deliveryStream(run);
    this.meta = { schemaVersion: 1, project, run, actor: 'relay' };
  }

  get fold(): DeliveryFold {
    return this.state;
  }

  /** Whether the stream says that nothing is left to deliver. */
  get isSettled(): boolean {
    return this.state.isSettled && this.unwritten.length === 0;
  }

  /** Reads the stream anew. @throws LogUnavailable */
  async load(): Promise<void> {
    const state = new DeliveryFold(false);
    let revision = NO_EVENTS;
    for await (const page of this.ports.log.readStream(this.stream)) {
      for (const recorded of page) {
        const event = asDeliveryEvent(recorded);
        if (event !== null) state.push(event);
        revision = recorded.revision;
      }
    }
    for (const { time, data } of this.unwritten) state.push({ type: 'delivery_attempted', time, data });
    this.state = state;
    this.revision = revision;
  }

  /** Reads what others wrote, too. */
  async reload(): Promise<void> {
    await this.flush();
    await this.load();
  }

  /** Takes an attempt into the fold; it is on the log within half a second. Resolves when more may follow. */
  async record(data: DeliveryAttempt): Promise<void> {
    const { clock, random, background } = this.ports;
    const time = clock.now();
    const event = newEvent({ id: random.uuid(), type: 'delivery_attempted', time, data }, this.meta);
    this.unwritten.push(event);
    this.state.push({ type: 'delivery_attempted', time, data });
    if (this.unwritten.length >= UNWRITTEN) return this.flush();
    this.cancelTimer ??= clock.timer(GATHER_MS, () => {
      this.cancelTimer = null;
      background.start('delivery log', () => this.flush().catch((error: unknown) => this.failed(error)));
    });
  }

  /** Resolves when every attempt is on the log; a log that takes nothing is waited for. */
  async flush(): Promise<void> {
    this.cancelTimer?.();
    this.cancelTimer = null;
    while (this.unwritten.length > 0) {
      this.writing ??= this.write().finally(() => (this.writing = null));
      await this.writing;
    }
  }

  /** Whoever stops the relay leaves unwritten attempts to be made again. */
  private failed(error: unknown): void {
    if (!this.ports.stop.aborted) throw error;
  }

  private async write(): Promise<void> {
    const { log, clock, random, stop } = this.ports;
    const batch = this.unwritten.slice(0, APPEND_EVENTS);
    const expected = this.revision === NO_EVENTS ? 'no_stream' : this.revision;
    try {
      const result = await appendUntilDefinite(log, clock, random, this.stream, batch, { expected });
      // Invariant 2.
      if (result.kind === 'conflict') return await this.catchUp(result.actual);
      this.revision = result.last;
      this.unwritten = this.unwritten.slice(batch.length);
    } catch (error) {
      // Of an erased session nothing is told any more.
      if (error instanceof ContentErased) this.unwritten = [];
      else if (!(error instanceof LogUnavailable)) throw error;
      else await clock.sleep(RETRY_MS, stop);
    }
  }

  /** A read of a log that others write to may lag behind what a conflict said. */
  private async catchUp(actual: Revision): Promise<void> {
    await this.load();
    if (this.revision < actual) await this.ports.clock.sleep(RETRY_MS, this.ports.stop);
  }
}
