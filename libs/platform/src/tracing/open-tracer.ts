import type { OtelTracerOptions } from './otel-tracer.js';
import type { Tracer } from './tracer.js';

/** A tracer that exports to an OTLP endpoint. OpenTelemetry is loaded here and nowhere else. */
export async function openTracer(options: OtelTracerOptions): Promise<Tracer> {
  const { OtelTracer } = await import('./otel-tracer.js');
  return new OtelTracer(options);
}
