import type { StreamName } from '#domain';
import {
  type AppendOptions,
  AppendOutcomeUnknown,
  type AppendResult,
  type EventLog,
  EventTooLarge,
  LogUnavailable,
  type NewEvent,
  type Position,
  PassingLog,
} from '#event-log';
import {
  type Counter,
  type Histogram,
  type Metrics,
  type OnFault,
  QuietMetrics,
  SHORT_S,
  lookOn,
} from '#platform';

export type OnStored = (events: readonly NewEvent[], position: Position) => void;

const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const NONE = {};

/**
 * A log, and what is written to it by this process: how long that takes, and which events. All else passes through, and
 * what is stored is stored: a figure that fails changes no outcome.
 */
export class WatchedLog extends PassingLog {
  private readonly seconds: Histogram<never>;
  private readonly sizes: Histogram<never>;
  private readonly failures: Counter<'reason'>;

  /** @param onAppended each hears of the events of every append of this process, and of their position, when they are stored */
  constructor(
    log: EventLog,
    watched: Metrics,
    private readonly onAppended: readonly OnStored[],
    private readonly onFault?: OnFault,
  ) {
    super(log);
    const metrics = new QuietMetrics(watched, onFault);
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

  override append(
    stream: StreamName,
    events: readonly NewEvent[],
    options: AppendOptions,
  ): Promise<AppendResult> {
    const since = performance.now();
    return this.log.append(stream, events, options).then(
      (result) => {
        if (result.kind === 'appended') this.stored(events, result.position, since);
        else this.failures.add({ reason: 'conflict' });
        return result;
      },
      (error: unknown) => {
        this.failures.add({ reason: reasonOf(error) });
        throw error;
      },
    );
  }

  private stored(events: readonly NewEvent[], position: Position, since: number): void {
    this.seconds.observe(NONE, (performance.now() - since) / 1000);
    this.sizes.observe(NONE, events.length);
    for (const hear of this.onAppended) lookOn(() => hear(events, position), this.onFault);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof LogUnavailable) return 'unavailable';
  if (error instanceof AppendOutcomeUnknown) return 'unknown';
  return error instanceof EventTooLarge ? 'too_large' : 'error';
}
