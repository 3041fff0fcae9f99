import type { Metrics } from './metrics.js';
import type { OtlpMetrics, OtlpMetricsOptions } from './otlp-metrics.js';

/**
 * Metrics in a registry of their own, with those of the process. prom-client is loaded here and nowhere else.
 */
export async function openMetrics(): Promise<Metrics> {
  const { PromMetrics } = await import('./prom-metrics.js');
  const metrics = new PromMetrics();
  metrics.addProcess();
  return metrics;
}

/** Exports metrics to an OTLP endpoint until closed. OpenTelemetry is loaded only then. */
export async function openOtlpMetrics(options: OtlpMetricsOptions): Promise<OtlpMetrics> {
  const { OtlpMetrics } = await import('./otlp-metrics.js');
  return new OtlpMetrics(options);
}
