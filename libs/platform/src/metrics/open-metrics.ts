import type { Metrics } from './metrics.js';
import type { OtlpMetrics, OtlpMetricsOptions } from './otlp-metrics.js';

/** A registry of its own, with the figures of the process. prom-client is loaded here and nowhere else. */
export async function openMetrics(): Promise<Metrics> {
  const { PromMetrics } = await import('./prom-metrics.js');
  const metrics = new PromMetrics();
  metrics.addProcess();
  return metrics;
}

/** Sends figures to an OTLP endpoint until it is closed. OpenTelemetry is loaded only then. */
export async function openOtlpMetrics(options: OtlpMetricsOptions): Promise<OtlpMetrics> {
  const { OtlpMetrics } = await import('./otlp-metrics.js');
  return new OtlpMetrics(options);
}
