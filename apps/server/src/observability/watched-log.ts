import {
  AppendOutcomeUnknown,
  type AppendResult,
  type Batch,
  EventLog,
  EventTooLarge,
  type Expected,
  type LogHealth,
  LogUnavailable,
  type NewEvent,
  type Position,
  type ReadAllOptions,
  type ReadOptions,
  type RecordedEvent,
  type Revision,
} from '#event-log';
import { type Counter, type Histogram, type Metrics, SHORT_S } from '#platform';

const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const NONE = {};

/** A log, and what is written to it by this process: how long that takes, and which events. All else passes through. */
export class WatchedLog extends EventLog {
  private readonly seconds: Histogram<never>;
  private readonly sizes: Histogram<never>;
  private readonly failures: Counter<'reason'>;

  /** @param onAppended hears of the events of each append of this process, when they are stored */
  constructor(
    private readonly log: EventLog,
    metrics: Metrics,
    private readonly onAppended: (events: readonly NewEvent[]) => void,
  ) {
    super();
    this.seconds = metrics.histogram({
      name: 'annals_log_append_duration_seconds',
      help: 'Time until an append was acknowledged as stored.',
      buckets: SHORT_S,
    });
    this.sizes = metrics.histogram({
      name: 'annals_log_append_events',
      help: 'Events in an append that was stored.',
      buckets: BATCH_SIZES,
    });
    this.failures = metrics.counter({
      name: 'annals_log_append_failures_total',
      help: 'Appends that were not stored, or of which it is not known: conflict, unavailable, unknown, too_large, error.',
      labels: ['reason'],
    });
  }

  override get logId(): string {
    return this.log.logId;
  }

  override get exclusive(): boolean {
    return this.log.exclusive;
  }

  override append(
    stream: string,
    events: readonly NewEvent[],
    options: { expected: Expected },
  ): Promise<AppendResult> {
    const since = performance.now();
    return this.log.append(stream, events, options).then(
      (result) => {
        if (result.kind === 'appended') this.stored(events, since);
        else this.failures.add({ reason: 'conflict' });
        return result;
      },
      (error: unknown) => {
        this.failures.add({ reason: reasonOf(error) });
        throw error;
      },
    );
  }

  override readStream(stream: string, options?: ReadOptions): AsyncIterable<readonly RecordedEvent[]> {
    return this.log.readStream(stream, options);
  }

  override readAll(options?: ReadAllOptions): AsyncIterable<Batch> {
    return this.log.readAll(options);
  }

  override subscribeStream(
    stream: string,
    options: { after?: Revision; signal: AbortSignal },
  ): AsyncIterable<readonly RecordedEvent[]> {
    return this.log.subscribeStream(stream, options);
  }

  override subscribeAll(options: {
    after?: Position;
    prefixes?: readonly string[];
    signal: AbortSignal;
  }): AsyncIterable<Batch> {
    return this.log.subscribeAll(options);
  }

  override head(): Promise<Position> {
    return this.log.head();
  }

  override health(): Promise<LogHealth> {
    return this.log.health();
  }

  override close(): Promise<void> {
    return this.log.close();
  }

  private stored(events: readonly NewEvent[], since: number): void {
    this.seconds.observe(NONE, (performance.now() - since) / 1000);
    this.sizes.observe(NONE, events.length);
    this.onAppended(events);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof LogUnavailable) return 'unavailable';
  if (error instanceof AppendOutcomeUnknown) return 'unknown';
  return error instanceof EventTooLarge ? 'too_large' : 'error';
}
