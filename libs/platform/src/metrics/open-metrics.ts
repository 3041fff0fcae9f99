import type { Metrics } from './metrics.js';

/** A registry of its own, with the figures of the process. prom-client is loaded here and nowhere else. */
export async function openMetrics(): Promise<Metrics> {
  const { PromMetrics } = await import('./prom-metrics.js');
  const metrics = new PromMetrics();
  metrics.addProcess();
  return metrics;
}
