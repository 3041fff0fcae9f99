import type { HrTime } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import {
  MeterProvider,
  type MetricProducer,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import { type ServiceIdentity, resourceOf } from '../tracing/otel-resource.js';
import { shutdownWithin } from '../tracing/shutdown-within.js';
import type { Metrics } from './metrics.js';
import { metricDataOf } from './otlp-metric-data.js';
import type { OnFault } from './quiet-metrics.js';

export interface OtlpMetricsOptions extends ServiceIdentity {
  /** Base URL of the collector: `/v1/metrics` is added. */
  readonly endpoint: string;
  readonly metrics: Metrics;
  /** Called each time an export failed. Values are cumulative, so the next export makes up for it. */
  readonly onFault: OnFault;
}

const SEND_EVERY_MS = 15_000;
const SEND_TIMEOUT_MS = 5_000;
const CLOSE_MS = 1_000;

/** Exports the metrics of `/metrics` to a collector periodically, as OTLP over HTTP. Owns the timer. */
export class OtlpMetrics {
  private readonly provider: MeterProvider;

  constructor(options: OtlpMetricsOptions) {
    const { endpoint, onFault } = options;
    const resource = resourceOf(options);
    const exporter = new OTLPMetricExporter({
      url: `${endpoint}/v1/metrics`,
      timeoutMillis: SEND_TIMEOUT_MS,
    });
    const reader = new PeriodicExportingMetricReader({
      exporter: toldExporter(exporter, onFault),
      exportIntervalMillis: SEND_EVERY_MS,
      exportTimeoutMillis: SEND_TIMEOUT_MS,
      metricProducers: [producerOf(options, resource)],
    });
    this.provider = new MeterProvider({ resource, readers: [reader] });
  }

  /** Exports a last time, within a time limit. */
  close(): Promise<void> {
    return shutdownWithin(CLOSE_MS, this.provider);
  }
}

function producerOf({ metrics, version }: OtlpMetricsOptions, resource: Resource): MetricProducer {
  const startTime = hrTimeOf(Date.now() - process.uptime() * 1000);
  return {
    collect: async () => {
      const span = { startTime, endTime: hrTimeOf(Date.now()) };
      const figures = (await metrics.figures()).map((figure) => metricDataOf(figure, span));
      const scopeMetrics = [
        { scope: { name: 'annals', version }, metrics: figures.filter((data) => data !== null) },
      ];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}

/** Reports failed exports, of which OpenTelemetry's exporter says nothing. */
function toldExporter(exporter: OTLPMetricExporter, onFault: OnFault): PushMetricExporter {
  return {
    export: (figures, done) =>
      exporter.export(figures, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) onFault(result.error);
        done({ code: ExportResultCode.SUCCESS });
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

const hrTimeOf = (ms: number): HrTime => [Math.floor(ms / 1000), Math.floor((ms % 1000) * 1_000_000)];
