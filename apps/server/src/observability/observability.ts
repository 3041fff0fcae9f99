import { randomUUID } from 'node:crypto';
import type { RunWatch } from '#agent';
import type { CallbackSender } from '#delivery';
import type { EventLog } from '#event-log';
import {
  type Clock,
  type Logger,
  type Metrics,
  type OnFault,
  QuietMetrics,
  QuietTracer,
  type Settings,
  type Span,
  SystemClock,
  type Tracer,
  openMetrics,
  openOtlpMetrics,
  openTracer,
  scrub,
} from '#platform';
import { programVersion } from '../version.js';
import { EventFigures } from './event-figures.js';
import { HttpWatch } from './http-watch.js';
import { ServiceRunWatch, modelServerOf } from './service-run-watch.js';
import { UnreadableWatch } from './unreadable-watch.js';
import { type OnStored, WatchedLog } from './watched-log.js';
import { WatchedSender } from './watched-sender.js';

/** What looks on at the service. It is put around ports and hooks at the composition root; the house does not know of it. */
export interface Observability {
  readonly metrics: Metrics;
  readonly runs: RunWatch;
  readonly http: HttpWatch;
  /** null: nobody asked for traces. */
  readonly tracer: Tracer | null;
  readonly ofLog: (log: EventLog) => EventLog;
  /** Calls `hear` with what this process stores in such a log from now on. */
  readonly onStored: (hear: OnStored) => void;
  /** Hears of what stands on the log and cannot be read. */
  readonly unreadable: UnreadableWatch;
  readonly ofSender: (sender: CallbackSender) => CallbackSender;
  /** What names the trace of a log line that is written now. */
  logFields(): object;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** A collector that is away is told of this often. */
const LOST_EVERY_MS = 60_000;

/** @throws never for a collector that is not there: spans that cannot be sent are lost, and a figure says so */
export async function openObservability(
  { otelEndpoint, openai }: Pick<Settings, 'otelEndpoint' | 'openai'>,
  logger: Logger,
): Promise<Observability> {
  const version = programVersion();
  const opened = await openMetrics();
  const clock = new SystemClock();
  const onFault = toldAtTimes(clock, logger);
  const metrics = new QuietMetrics(opened, onFault);
  metrics
    .gauge({ name: 'annals_info', help: 'Always 1; its labels say what runs.', labels: ['version', 'node'] })
    .set({ version, node: process.versions.node }, 1);
  const onLost = lostSpans(metrics, clock, logger);
  const instance = randomUUID();
  const tracer =
    otelEndpoint === null
      ? null
      : new QuietTracer(await openTracer({ endpoint: otelEndpoint, instance, version, onLost }), onFault);
  const sent =
    otelEndpoint === null
      ? null
      : await openOtlpMetrics({ endpoint: otelEndpoint, instance, version, metrics: opened, onFault });
  const events = new EventFigures(clock, metrics);
  const hearing: OnStored[] = [events.stored];
  return {
    metrics,
    tracer,
    runs: new ServiceRunWatch(
      clock,
      metrics,
      events,
      tracer,
      openai === null ? null : modelServerOf(openai.baseUrl),
    ),
    http: new HttpWatch(metrics, tracer),
    ofLog: (log) => new WatchedLog(log, metrics, hearing, onFault),
    onStored: (hear) => void hearing.push(hear),
    unreadable: new UnreadableWatch(clock, metrics, logger),
    ofSender: (sender) => new WatchedSender(sender, metrics, tracer),
    logFields: () => fieldsOf(tracer?.current),
    close: async () => {
      await Promise.all([sent?.close(), tracer?.close()]);
    },
  };
}

const NO_FIELDS = {};
const fieldsOf = (span: Span | null | undefined): object =>
  span === null || span === undefined ? NO_FIELDS : { trace_id: span.traceId };

/** What looks on and fails is told of, and nothing else comes of it. */
function toldAtTimes(clock: Clock, logger: Logger): OnFault {
  let toldAt = -Infinity;
  return (error) => {
    if (clock.now() - toldAt < LOST_EVERY_MS) return;
    toldAt = clock.now();
    logger.warn({ err: error }, 'a figure or a trace could not be made');
  };
}

function lostSpans(metrics: Metrics, clock: Clock, logger: Logger) {
  const lost = metrics.counter({
    name: 'annals_trace_spans_lost_total',
    help: 'Spans that could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT.',
  });
  lost.add({}, 0);
  let toldAt = -Infinity;
  return (spans: number, error: Error | undefined): void => {
    lost.add({}, spans);
    if (clock.now() - toldAt < LOST_EVERY_MS) return;
    toldAt = clock.now();
    logger.warn({ spans, reason: scrub(error?.message ?? '') }, 'spans could not be sent and are lost');
  };
}
